// What other folders may use: YAML in and out.
export { decodeYaml, YamlBody } from './decode-yaml.ts';
export { encodeYaml, yamlPieces } from './encode-yaml.ts';
