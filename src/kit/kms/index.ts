// What the rest of the kit may use: key management plugins.
export { type KmsCiphertext, type KmsContext, KmsPlugin, kmsPlugin, type KmsPluginOptions } from './kms-plugin.ts';
