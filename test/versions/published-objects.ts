import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  builtInTypes,
  decodeJson,
  decodeProtobuf,
  encodePrettyJson,
  encodeProtobufEnvelope,
  openProtobufEnvelope,
  type TypeTable,
} from '../../src/api/index.ts';
import { messageOf, type KubernetesVersion } from '../../src/base/index.ts';
import { moduleFolder } from './go-modules.ts';

/** An object with a value in every field, as the Go types of a release write it. */
interface PublishedObject {
  /** `apps.v1.Deployment` */
  readonly name: string;
  readonly json: string;
  readonly protobuf: Buffer;
}

/** What became of the objects that a release publishes. */
export interface ReadObjects {
  readonly count: number;
  /** The objects that do not come back from JSON and protobuf byte for byte, with the reason. */
  readonly problems: readonly string[];
}

/** Reads the objects that `k8s.io/api` of a release publishes, and writes them again, with the types of a version. */
export function readPublishedObjects(version: KubernetesVersion, release: string): ReadObjects {
  const types = builtInTypes(version);
  const known = publishedObjects(release).flatMap((object) => {
    const type = typeOf(object, types);
    return type === undefined ? [] : [{ object, type }];
  });
  const problems = known.flatMap(({ object: { name, json, protobuf }, type }) => {
    try {
      const { value } = decodeJson(json, type, { fieldValidation: 'Strict' });
      const { typeMeta, raw } = openProtobufEnvelope(protobuf);
      const object = decodeProtobuf(raw, type, { typeMeta });
      return [
        ...(encodePrettyJson(value) === json.trimEnd() ? [] : [`${name}: JSON`]),
        ...(encodePrettyJson(object) === json.trimEnd() ? [] : [`${name}: protobuf as JSON`]),
        ...(Buffer.from(encodeProtobufEnvelope(value, type)).equals(protobuf) ? [] : [`${name}: protobuf`]),
      ];
    } catch (error) {
      return [`${name}: ${messageOf(error)}`];
    }
  });
  return { count: known.length, problems };
}

function publishedObjects(release: string): PublishedObject[] {
  const folder = join(moduleFolder('k8s.io/api', release.replace(/^v1\./, 'v0.')), 'testdata', 'HEAD');
  return readdirSync(folder)
    .filter((name) => /^[^_]+\.json$/.test(name))
    .map((name) => ({
      name: name.slice(0, -'.json'.length),
      json: readFileSync(join(folder, name), 'utf8'),
      protobuf: readFileSync(join(folder, name.replace(/json$/, 'pb'))),
    }));
}

/** The type of an object; undefined for kinds that are not served in the version. */
function typeOf({ json }: PublishedObject, types: TypeTable) {
  const { apiVersion = '', kind = '' } = JSON.parse(json) as { readonly apiVersion?: string; readonly kind?: string };
  const slash = apiVersion.indexOf('/');
  return types.kind({ group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind });
}
