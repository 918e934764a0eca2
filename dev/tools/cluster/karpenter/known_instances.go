package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// On a NodeClaim: its machine has ended, whoever ended it.
const goneAnnotation = "reprise.test/instance-gone"

// A machine lives from its creation until its provider has been told to end it, whatever becomes of its Node.
type knownInstances struct {
	cloudprovider.CloudProvider
	client client.Client
}

// Of those that have not ended.
func (k knownInstances) claims(ctx context.Context) (map[string]*v1.NodeClaim, error) {
	list := &v1.NodeClaimList{}
	if err := k.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing the NodeClaims of machines, %w", err)
	}
	claims := map[string]*v1.NodeClaim{}
	for i := range list.Items {
		claim := &list.Items[i]
		if _, gone := claim.Annotations[goneAnnotation]; !gone && claim.Status.ProviderID != "" {
			claims[claim.Status.ProviderID] = claim
		}
	}
	return claims, nil
}

func (k knownInstances) Get(ctx context.Context, providerID string) (*v1.NodeClaim, error) {
	found, err := k.CloudProvider.Get(ctx, providerID)
	if !cloudprovider.IsNodeClaimNotFoundError(err) {
		return found, err
	}
	claims, problem := k.claims(ctx)
	if problem != nil {
		return nil, problem
	}
	if claim, known := claims[providerID]; known {
		return claim.DeepCopy(), nil
	}
	return nil, err
}

func (k knownInstances) List(ctx context.Context) ([]*v1.NodeClaim, error) {
	found, err := k.CloudProvider.List(ctx)
	if err != nil {
		return nil, err
	}
	claims, err := k.claims(ctx)
	if err != nil {
		return nil, err
	}
	for _, each := range found {
		delete(claims, each.Status.ProviderID)
	}
	for _, claim := range claims {
		found = append(found, claim.DeepCopy())
	}
	return found, nil
}
