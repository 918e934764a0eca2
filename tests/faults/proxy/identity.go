package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"sync"
	"time"
)

// An authority made at start and the certificate it last issued for 127.0.0.1.
type identity struct {
	authority    *x509.Certificate
	authorityKey *ecdsa.PrivateKey
	authorityPEM string

	mutex   sync.Mutex
	current *tls.Certificate
}

func newIdentity() (*identity, error) {
	made := &identity{}
	return made, made.renew()
}

// A new authority and a certificate of it: whoever trusts the old one only refuses connections made from now on.
func (i *identity) renew() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "faults proxy authority"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	authority, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	i.mutex.Lock()
	i.authority, i.authorityKey = authority, key
	i.authorityPEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	i.mutex.Unlock()
	return i.issue(24 * time.Hour)
}

// Connections made from now on see a certificate that ends after `life`, which may be negative.
func (i *identity) issue(life time.Duration) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "faults proxy"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(life),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, i.authority, &key.PublicKey, i.authorityKey)
	if err != nil {
		return err
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.current = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return nil
}

func (i *identity) serverConfig(clientAuthority string) (*tls.Config, error) {
	config := &tls.Config{
		NextProtos: []string{"h2", "http/1.1"},
		// A resumed session would not look at the certificate again.
		SessionTicketsDisabled: true,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			i.mutex.Lock()
			defer i.mutex.Unlock()
			return i.current, nil
		},
	}
	if clientAuthority == "" {
		return config, nil
	}
	roots, err := readAuthority(clientAuthority)
	if err != nil {
		return nil, err
	}
	config.ClientAuth, config.ClientCAs = tls.VerifyClientCertIfGiven, roots
	return config, nil
}

func readAuthority(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", path)
	}
	return pool, nil
}
