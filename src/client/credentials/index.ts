// Client credentials.
export {
  basic,
  bearer,
  type ClientCertificate,
  CombinedCredentials,
  type Credential,
  type Credentials,
  FixedCredentials,
} from './credentials.ts';
export {
  EXEC_API_VERSIONS,
  type ExecApiVersion,
  type ExecCluster,
  ExecCredentials,
  type ExecCredentialsOptions,
  type ExecPlugin,
  type InteractiveMode,
} from './exec-credentials.ts';
export { CertificateCredentials, type PemSource, TokenFileCredentials } from './file-credentials.ts';
export { WatchedFile } from './watched-file.ts';
