import type { Definition, Schema } from './definition.ts';
import { hubSpec, schemasOf } from './hub-definition.ts';
import { visitSchemas } from './inner-schemas.ts';

/** Warnings about a new definition, or about what an update adds to it. */
export function definitionWarnings(definition: Definition, old: Definition | undefined): readonly string[] {
  const known = new Set(old === undefined ? [] : unrecognizedFormats(old));
  return unrecognizedFormats(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unrecognizedFormats({ spec }: Definition): readonly string[] {
  const formats: string[] = [];
  for (const schema of schemasOf(hubSpec(spec))) {
    visitSchemas(schema, (inner) => {
      if ((inner.format ?? '') !== '' && !isRecognized(inner)) formats.push(inner.format ?? '');
    });
  }
  return formats;
}

function isRecognized({ type = '', format = '' }: Schema): boolean {
  switch (type) {
    case '':
    case 'string':
      return TEXT_FORMATS.has(format.replaceAll('-', ''));
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

/** By their names without dashes. */
const TEXT_FORMATS = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor ' +
    'rgbcolor byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
);
