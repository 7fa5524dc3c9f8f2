// The public entry point `keelson/credentials`: programs that nodes ask for credentials of image registries, written in TypeScript.
export {
  credentialProvider,
  type CredentialProvider,
  type CredentialProviderAnswer,
  type CredentialProviderDefinition,
  type CredentialRequest,
  type RegistryCredentials,
  type RequestingAccount,
} from './credential-provider.ts';
