import { builtInTypes } from '../built-in.ts';
import { sentEmpty } from '../json/index.ts';
import type { Field, Shape, Struct } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * A value as messages of kube-apiserver quote it: with every member of its internal type, by the names of Go. `type` is the OpenAPI name
 * of its published type, without `io.k8s.api.`.
 *
 * Example: a container port of 80 is `{"Name":"","HostPort":0,"ContainerPort":80,"Protocol":"TCP","HostIP":""}`.
 */
export function internalForm(value: unknown, type: string): unknown {
  return structForm(value, builtInTypes().struct(`io.k8s.api.${type}`));
}

/** The same for a list of such values. */
export function internalForms(values: readonly unknown[] | undefined, type: string): unknown {
  return values?.map((value) => internalForm(value, type)) ?? null;
}

/** The same for the value of a field. */
export function internalField(value: unknown, field: Field): unknown {
  return value === undefined || value === null ? zeroForm(field) : shapeForm(value, field.shape);
}

/** The source of a persistent volume by itself; the other members are of its spec. */
export function internalVolumeSource(spec: object): unknown {
  const { struct, members } = internalMembers(builtInTypes().struct('io.k8s.api.core.v1.PersistentVolumeSpec'));
  const ofSource = members.filter(
    ({ field }) => field !== undefined && (struct.field(field.name)?.inside.length ?? 0) > 0,
  );
  return Object.fromEntries(ofSource.map((member) => [member.name, memberForm(spec as Members, member)]));
}

interface Member {
  readonly name: string;
  /** Undefined for what other types of upstream have elsewhere. */
  readonly field: Field | undefined;
}

interface InternalMembers {
  readonly struct: Struct;
  readonly members: readonly Member[];
}

const known = new WeakMap<Struct, InternalMembers>();

function internalMembers(struct: Struct): InternalMembers {
  const found = known.get(struct);
  if (found !== undefined) return found;
  const listed = struct.internal ?? '';
  const names = listed === '' ? struct.fields.map(({ name }) => capitalized(name)) : listed.split(' ');
  const members = names.map((entry): Member => {
    const [name = '', field = jsonName(name)] = entry.split('=');
    return { name, field: struct.field(field) };
  });
  const made = { struct, members };
  known.set(struct, made);
  return made;
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `SELinuxOptions` is `seLinuxOptions`: the first word is in lower case, even if it is an abbreviation. */
function jsonName(name: string): string {
  return name.replace(/^(?:[A-Z]+(?=[A-Z][a-z]|$)|[A-Z])/, (word) => word.toLowerCase());
}

function structForm(value: unknown, struct: Struct): unknown {
  if (struct.internal === undefined) return value ?? {};
  const given = (value ?? {}) as Members;
  const form: Record<string, unknown> = {};
  for (const member of internalMembers(struct).members) {
    if (member.name === 'metadata') Object.assign(form, given['metadata']);
    else form[member.name] = memberForm(given, member);
  }
  return struct.shortName === 'PodSpec' ? withHostFields(form, given) : form;
}

function memberForm(given: Members, { field }: Member): unknown {
  if (field === undefined) return null;
  return internalField(given[field.name] ?? sentEmpty(given, field.name), field);
}

function shapeForm(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case 'scalar':
      return value;
    case 'struct':
      return structForm(value, shape.struct);
    case 'list':
      return (value as readonly unknown[]).map((item) => shapeForm(item, shape.element));
    case 'map':
      return Object.fromEntries(
        Object.entries(value as Members).map(([key, item]) => [key, shapeForm(item, shape.value)]),
      );
  }
}

/** What a member that is not set is in Go. */
function zeroForm({ presence, shape }: Field): unknown {
  if (presence === 'pointer') return null;
  if (shape.kind === 'struct') return structForm({}, shape.struct);
  if (shape.kind !== 'scalar') return null;
  switch (shape.scalar) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'IntOrString':
      return 0;
    case 'Quantity':
      return '0';
    default:
      return null;
  }
}

/** What a pod shares with its node is in the security context of upstream's internal type. */
function withHostFields(form: Record<string, unknown>, given: Members): Record<string, unknown> {
  const context = form['SecurityContext'];
  if (typeof context !== 'object' || context === null) return form;
  const shared = Object.fromEntries(
    ['hostNetwork', 'hostPID', 'hostIPC'].map((name) => [capitalized(name), given[name] ?? false]),
  );
  const { shareProcessNamespace: ShareProcessNamespace = null, hostUsers: HostUsers = null } = given;
  form['SecurityContext'] = { ...context, ...shared, ShareProcessNamespace, HostUsers };
  return form;
}
