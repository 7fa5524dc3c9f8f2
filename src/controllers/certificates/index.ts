// The controllers of CertificateSigningRequests.
export { csrApproving } from './csr-approving.ts';
export { csrCleaner } from './csr-cleaner.ts';
export { csrSigning, type SigningAuthority } from './csr-signing.ts';
