/** How an answer is encoded. */
export interface Representation {
  readonly format: Format;
  /** Whether JSON is indented for people to read. */
  readonly isPretty: boolean;
  /** What the object or list is converted to first. */
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

/** Best first: a client that accepts everything gets the first. */
export const formats: readonly Format[] = ['json', 'yaml', 'protobuf'];

/** YAML cannot be streamed as events. */
export const streamFormats: readonly Format[] = ['json', 'protobuf'];

export function streamMediaType(format: Format): string {
  return `${mediaTypes[format]};stream=watch`;
}
