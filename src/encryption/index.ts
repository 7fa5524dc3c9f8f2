// What other folders may use: encryption of what is stored, as a configuration file says.
export { type Encryption, type EncryptionOptions, openEncryption } from './encryption.ts';
export { EncryptionConfigError, type EncryptionParts } from './encryption-parts.ts';
