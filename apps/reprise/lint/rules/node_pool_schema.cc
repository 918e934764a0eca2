#include "apps/reprise/lint/rules/node_pool_schema.h"

namespace reprise::apps::lint {

const std::string_view kNodePoolDefinition = R"CRD(
kind: CustomResourceDefinition
spec:
  group: karpenter.sh
  names: {kind: NodePool}
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
          spec:
            type: object
            required: [template]
            x-kubernetes-validations:
            - {rule: "!has(self.replicas) || !has(self.weight)", message: must not be set together with replicas, fieldPath: .weight}
            - rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)"
              message: may hold nodes alone when replicas is set
              fieldPath: .limits
            properties:
              weight: {type: integer, minimum: 1, maximum: 100}
              replicas: {type: integer, minimum: 0}
              limits:
                type: object
                additionalProperties: {x-kubernetes-int-or-string: true}
              disruption:
                type: object
                required: [consolidateAfter]
                properties:
                  consolidationPolicy: {type: string, enum: [WhenEmpty, WhenEmptyOrUnderutilized, Balanced]}
                  consolidateAfter: {type: string, pattern: '^(([0-9]+(s|m|h))+|Never)$'}
                  budgets:
                    type: array
                    maxItems: 50
                    items:
                      type: object
                      required: [nodes]
                      x-kubernetes-validations:
                      - {rule: has(self.schedule) == has(self.duration), message: schedule and duration must be set together}
                      properties:
                        nodes: {type: string, default: 10%, pattern: '^((100|[0-9]{1,2})%|[0-9]+)$'}
                        reasons:
                          type: array
                          maxItems: 50
                          x-kubernetes-list-type: set
                          items: {type: string, enum: [Underutilized, Empty, Drifted]}
                        schedule: {type: string, pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$'}
                        duration: {type: string, pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$'}
              template:
                type: object
                required: [spec]
                properties:
                  metadata:
                    type: object
                    properties:
                      labels:
                        type: object
                        maxProperties: 100
                        additionalProperties: {type: string, maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'}
                        x-kubernetes-validations:
                        - rule: "self.all(x, x == 'karpenter.sh/capacity-type' || !x.matches('^[^/]*karpenter[.]sh(/.*)?$'))"
                          message: holds one of Karpenter's own labels; of these karpenter.sh/capacity-type alone may be there
                        - {rule: "self.all(x, x != 'kubernetes.io/hostname')", message: names one machine with kubernetes.io/hostname}
                      annotations: {type: object, additionalProperties: {type: string}}
                  spec:
                    type: object
                    required: [nodeClassRef, requirements]
                    properties:
                      nodeClassRef:
                        type: object
                        required: [group, kind, name]
                        properties:
                          group: {type: string, minLength: 1, pattern: '^[^/]*$'}
                          kind: {type: string, minLength: 1}
                          name: {type: string, minLength: 1}
                      expireAfter: {type: string, pattern: '^(([0-9]+(s|m|h))+|Never)$'}
                      terminationGracePeriod: {type: string, pattern: '^([0-9]+(s|m|h))+$'}
                      taints: &taints
                        type: array
                        items:
                          type: object
                          required: [key, effect]
                          properties:
                            key: {type: string, minLength: 1, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$'}
                            value: {type: string, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$'}
                            timeAdded: {type: string, format: date-time}
                            effect: {type: string, enum: [NoSchedule, PreferNoSchedule, NoExecute]}
                      startupTaints: *taints
                      requirements:
                        type: array
                        maxItems: 100
                        items:
                          type: object
                          required: [key, operator]
                          x-kubernetes-validations:
                          - rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)"
                            message: values must be set for the operators In and NotIn
                          - rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0"
                            message: values must not be set for the operators Exists and DoesNotExist
                          - rule: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && size(self.values) == 1 && self.values[0].matches('^[0-9]+$'))"
                            message: values must be one whole number for the operators Gt, Lt, Gte and Lte
                          - rule: "self.key != 'karpenter.sh/capacity-type' || !has(self.values) || self.values.all(v, v in ['spot', 'on-demand', 'reserved'])"
                            message: must be spot, on-demand or reserved
                            fieldPath: .values
                          - rule: "self.key == 'karpenter.sh/capacity-type' || !self.key.matches('^[^/]*karpenter[.]sh(/.*)?$')"
                            message: is one of Karpenter's own labels; of these a requirement may name karpenter.sh/capacity-type
                            fieldPath: .key
                          - {rule: "self.key != 'kubernetes.io/hostname'", message: "names one machine, and machines are made anew; remove the requirement", fieldPath: .key}
                          - rule: "self.operator != 'In' || !has(self.minValues) || !has(self.values) || size(self.values) >= self.minValues"
                            message: must not be more than there are values
                            fieldPath: .minValues
                          properties:
                            key: {type: string, minLength: 1, maxLength: 316, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$'}
                            operator: {type: string, enum: [In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte]}
                            values: {type: array, items: {type: string, maxLength: 63}}
                            minValues: {type: integer, minimum: 1, maximum: 50}
)CRD";

}  // namespace reprise::apps::lint
