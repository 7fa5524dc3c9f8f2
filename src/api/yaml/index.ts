// What other folders may use: YAML in and out.
export { decodeYaml, YamlBody } from './decode-yaml.ts';
export { encodeYaml } from './encode-yaml.ts';
