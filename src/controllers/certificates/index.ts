// What the list of controllers uses: everything about requests for certificates.
export { csrApproving } from './csr-approving.ts';
export { csrCleaner } from './csr-cleaner.ts';
export { csrSigning, type SigningAuthority } from './csr-signing.ts';
