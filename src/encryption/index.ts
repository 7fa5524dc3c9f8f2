// What other folders may use: encryption at rest, configured by a file.
export { type Encryption, type EncryptionOptions, openEncryption } from './encryption.ts';
export { EncryptionConfigError, type EncryptionParts } from './encryption-parts.ts';
