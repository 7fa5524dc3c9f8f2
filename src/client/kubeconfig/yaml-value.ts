import { type JsonNode, YamlBody } from '../../api/client.ts';

/** The value of a YAML text, read as Go's YAML reads it (`yes` is true). Of duplicate keys the last one counts. */
export function yamlValue(text: string): unknown {
  return valueOf(new YamlBody(text).node);
}

function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'string':
    case 'bool':
      return node.value;
    case 'number':
      return Number(node.text);
    case 'array':
      return node.items.map(valueOf);
    case 'object':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOf(value)]));
  }
}
