import { createCipheriv, createDecipheriv } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KmsPlugin, kmsPlugin } from '../../../src/kit/index.ts';

const key = (name: string, byte: number): object => ({
  name,
  secret: Buffer.alloc(32, byte).toString('base64'),
});

/** By resource: who encrypts it. */
const PROVIDERS: Readonly<Record<string, object>> = {
  secrets: { aesgcm: { keys: [key('gcm', 1)] } },
  configmaps: { secretbox: { keys: [key('box', 2)] } },
  serviceaccounts: { aescbc: { keys: [key('cbc', 3)] } },
};

/** What is written: one object of each resource, and the text by which it is recognized. */
export const objects = [
  { resource: 'secrets', path: 'secrets', body: { data: { mark: Buffer.from('marked').toString('base64') } } },
  { resource: 'configmaps', path: 'configmaps', body: { data: { mark: 'marked' } } },
  { resource: 'serviceaccounts', path: 'serviceaccounts', body: { metadata: { annotations: { mark: 'marked' } } } },
  { resource: 'endpoints', path: 'endpoints', body: { metadata: { annotations: { mark: 'marked' } } } },
] as const;

/** Where an object lies in etcd; endpoints have had another name for long. */
export function etcdKey(resource: string, name: string): string {
  return `/registry/${resource === 'endpoints' ? 'services/endpoints' : resource}/default/${name}`;
}

/** A plugin that always has the same key. */
export function fixedPlugin(socket: string): KmsPlugin {
  const secret = Buffer.alloc(32, 4);
  const crypt = (make: typeof createCipheriv | typeof createDecipheriv, value: Uint8Array): Uint8Array => {
    const cipher = make('aes-256-ctr', secret, Buffer.alloc(16));
    return Buffer.concat([cipher.update(value), cipher.final()]);
  };
  return kmsPlugin({
    socket,
    keyId: 'fixed',
    encrypt: (plaintext) => ({
      ciphertext: crypt(createCipheriv, plaintext),
      annotations: { 'note.acme.dev': Buffer.from('hello') },
    }),
    decrypt(ciphertext, { annotations, keyId }) {
      if (keyId !== 'fixed' || Buffer.from(annotations['note.acme.dev'] ?? '').toString() !== 'hello')
        throw new Error('these are not the annotations that were given');
      return crypt(createDecipheriv, ciphertext);
    },
  });
}

/** Writes the configuration; answers with its path. */
export async function writeConfiguration(folder: string, plugin: KmsPlugin): Promise<string> {
  const kms = { apiVersion: 'v2', name: 'plugin', endpoint: plugin.endpoint };
  const all: Readonly<Record<string, object>> = { ...PROVIDERS, endpoints: { kms } };
  const path = join(folder, 'encryption.json');
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: Object.entries(all).map(([resource, provider]) => ({
      resources: [resource],
      providers: [provider, { identity: {} }],
    })),
  };
  await writeFile(path, JSON.stringify(configuration));
  return path;
}
