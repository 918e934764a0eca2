module reprise.dev/tests/faults/proxy

go 1.26
