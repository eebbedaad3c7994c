/**
 * A self-signed server certificate for 127.0.0.1 that is valid for a hundred years, and its key. It is only for tests on this
 * machine and protects nothing. Created with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes`.
 */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUe29U39tsyeN/x/a7ziuiixNuFwMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJa2VyZi10ZXN0MCAXDTI2MTEyMTExMzAwMloYDzIxMjYxMDI4
MTEzMDAyWjAUMRIwEAYDVQQDDAlrZXJmLXRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARccYPZBuA26z0v33Ek6kM+1rYstcAxnLkFOpUFYsDbXtZsoO7hBXe5
9u3BBzRHD39BvilpD3uTJus9DHBi6zJ6o2QwYjAdBgNVHQ4EFgQUgvJIsWLgftFP
4M08X8kWJrLWFLQwHwYDVR0jBBgwFoAUgvJIsWLgftFP4M08X8kWJrLWFLQwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IA8Ro3bTkIySuzXK3PMC/755enU631s+UpcvpFI1W4QQAiEAlr0qz+3lJd83BROv
cX6WlY5MUlnJyjwA9fYvYXqBFVo=
-----END CERTIFICATE-----
`;

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIJo4Wqudep/pMo+0
PCNAEZvnQayaJRuQgEdnewR0BeyhRANCAARccYPZBuA26z0v33Ek6kM+1rYstcAx
nLkFOpUFYsDbXtZsoO7hBXe59u3BBzRHD39BvilpD3uTJus9DHBi6zJ6
-----END PRIVATE KEY-----
`;
