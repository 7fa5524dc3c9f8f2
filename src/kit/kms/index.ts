// What the rest of the kit may use: key management plugins.
export type { KmsCiphertext, KmsContext, KmsPluginOptions } from './kms-options.ts';
export { KmsPlugin, kmsPlugin } from './kms-plugin.ts';
