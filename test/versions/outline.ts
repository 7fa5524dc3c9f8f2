import { digest, digestDocument } from '../../src/api/openapi/testdata/digest.ts';

/** What a version of the API is, in few characters a part. */
export interface Outline {
  /** OpenAPI v2: types and paths. */
  readonly v2: Parts;
  /** OpenAPI v3: the types of all documents by name, and the paths. */
  readonly v3: Parts;
  /** Discovery: a resource or subresource by `GROUP/VERSION/NAME`. */
  readonly resources: Readonly<Record<string, string>>;
  /** The groups in the order of discovery, each with its versions. */
  readonly groups: readonly string[];
  /** The published values of a field by `io.k8s.api.core.v1.Toleration.operator`. */
  readonly values: Readonly<Record<string, string>>;
  /** The Go fields of a type: `name 2.1` or `name 3 never`, where the latter is written even when it is empty. */
  readonly wire: Readonly<Record<string, string>>;
}

/** How a part of the outline is named in differences. */
export type Section = 'v2 type' | 'v2 path' | 'v3 type' | 'v3 path' | 'resource' | 'groups' | 'values' | 'wire';

interface Parts {
  readonly types: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

export interface ApiDocuments {
  readonly v2: Json;
  readonly v3: readonly Json[];
  /** The answers at `/api/v1` and `/apis/GROUP/VERSION`. */
  readonly lists: readonly ResourceList[];
  /** The groups in the order of aggregated discovery, each with its versions: `batch v1`. */
  readonly groups: readonly string[];
  /** The published values of fields, in the order of their names. */
  readonly values: Outline['values'];
}

export interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly (Json & { readonly name: string })[];
}

export function outlineOf({ v2, v3, lists, groups, values }: ApiDocuments, wire: Outline['wire']): Outline {
  return {
    v2: partsOf([v2]),
    v3: partsOf(v3),
    resources: Object.fromEntries(
      lists.flatMap(({ groupVersion, resources }) =>
        resources.map((each) => [`${groupVersion}/${each.name}`, digest(each)]),
      ),
    ),
    groups,
    values,
    wire,
  };
}

function partsOf(documents: readonly Json[]): Parts {
  const types: Record<string, string> = {};
  const paths: Record<string, string> = {};
  for (const document of documents) {
    const digests = digestDocument(comparable(document, false) as Json);
    for (const [name, each] of Object.entries(digests.schemas)) {
      // Two types list the groups of the document that they are in.
      if (types[name] !== undefined && types[name] !== each) types[name] = 'differs';
      else types[name] = each;
    }
    Object.assign(paths, digests.paths);
  }
  return { types, paths };
}

const CBOR = /^application\/(?:apply-patch\+)?cbor/;

/**
 * A document without what Kubernetes' published documents leave out (allowed values) and what they have from a feature that is off by
 * default (CBOR). `areNames`: the keys are names of properties.
 */
function comparable(value: unknown, areNames: boolean): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(typeof item === 'string' && CBOR.test(item)))
      .map((item) => comparable(item, false));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => !CBOR.test(name) && (areNames || name !== 'enum' || !Array.isArray(item)))
      .map(([name, item]) => [name, comparable(item, !areNames && name === 'properties')]),
  );
}

/** A part that differs; a side that does not have it is undefined. */
export interface Difference {
  readonly section: Section;
  readonly name: string;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

export function differences(ours: Outline, theirs: Outline): readonly Difference[] {
  const groups = ours.groups.join(', ');
  const theirGroups = theirs.groups.join(', ');
  return [
    ...compared('resource', ours.resources, theirs.resources),
    ...(groups === theirGroups ? [] : [{ section: 'groups' as const, name: 'all', ours: groups, theirs: theirGroups }]),
    ...compared('v2 type', ours.v2.types, theirs.v2.types),
    ...compared('v2 path', ours.v2.paths, theirs.v2.paths),
    ...compared('v3 type', ours.v3.types, theirs.v3.types),
    ...compared('v3 path', ours.v3.paths, theirs.v3.paths),
    // Go has types that are not published.
    ...compared('values', ours.values, theirs.values).filter(({ name }) => isPublished(name, ours)),
    // Go has types that no version makes use of, and some that embed parts of others are not read.
    ...compared('wire', ours.wire, theirs.wire).filter(
      ({ ours: own, theirs: other }) => own !== undefined && other !== undefined,
    ),
  ];
}

function isPublished(field: string, { v2 }: Outline): boolean {
  return v2.types[field.slice(0, field.lastIndexOf('.'))] !== undefined;
}

function compared(
  section: Section,
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): Difference[] {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  return names
    .filter((name) => ours[name] !== theirs[name])
    .map((name) => ({ section, name, ours: ours[name], theirs: theirs[name] }));
}
