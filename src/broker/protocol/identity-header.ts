import { Buffer } from 'node:buffer';
import type { JsonObject, OriginatingIdentity } from './osb.ts';

export const IDENTITY_HEADER = 'x-broker-api-originating-identity';

/** `kubernetes eyJ1c2Vyb…`: the platform, and a JSON object in base64. */
export function formatIdentity({ platform, value }: OriginatingIdentity): string {
  return `${platform} ${Buffer.from(JSON.stringify(value)).toString('base64')}`;
}

/** Undefined for a text that is no identity. */
export function parseIdentity(text: string): OriginatingIdentity | undefined {
  const [, platform = '', encoded = ''] = /^(\S+) +([A-Za-z0-9+/_-]+={0,2})$/.exec(text.trim()) ?? [];
  if (platform === '') return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
    return isJsonObject(value) ? { platform, value } : undefined;
  } catch {
    return undefined; // no JSON
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
