/** How an answer is written. */
export interface Representation {
  readonly format: Format;
  /** Indented, for people to read; JSON only. */
  readonly isPretty: boolean;
  /** What the object or list is turned into first. */
  readonly conversion: Conversion | undefined;
}

export type Format = 'json' | 'yaml' | 'protobuf';

export interface Conversion {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly apiVersion: string;
}

export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** Best first: what a client gets that takes anything. */
export const formats: readonly Format[] = ['json', 'yaml', 'protobuf'];

/** YAML cannot be sent event by event. */
export const streamFormats: readonly Format[] = ['json', 'protobuf'];

export function streamMediaType(format: Format): string {
  return `${mediaTypes[format]};stream=watch`;
}
