// What other folders may use: making X.509 certificates, and reading requests for them.
export {
  type CertificateRequest,
  type Credential,
  issueCertificate,
  type Issuer,
  issuerFrom,
  newPrivateKey,
  selfIssuer,
  type Subject,
} from './certificate.ts';
export { lengthOfElement } from './der.ts';
export { newSigningRequest, type WantedCertificate } from './new-signing-request.ts';
export { knownUsages, signRequest, type SigningOptions } from './sign-request.ts';
export { type PemBlock, pemBlocks } from './pem.ts';
export { parseSigningRequest, readSigningRequest, type SigningRequest } from './signing-request.ts';
