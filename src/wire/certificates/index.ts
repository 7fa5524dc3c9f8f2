// What other folders may use: making X.509 certificates.
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
