/** The media types in the documents. */
export interface WireStyle {
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Also produced by operations that can watch. */
  readonly streams: readonly string[];
  readonly patches: readonly string[];
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

export const builtInStyle: WireStyle = {
  consumes: ['*/*'],
  produces: [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE],
  streams: [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`],
  patches: [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ],
};

export const customStyle: WireStyle = {
  consumes: [JSON_TYPE, YAML_TYPE],
  produces: [JSON_TYPE, YAML_TYPE],
  streams: [],
  patches: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
};
