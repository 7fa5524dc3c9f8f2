import { POD_TEMPLATE_STRUCTS } from './go-structs.ts';

/** What printing needs to know of a Go type. */
export type GoType =
  | { readonly form: 'scalar'; readonly name: string; readonly base: string }
  | { readonly form: 'pointer'; readonly name: string; readonly element: GoType }
  | { readonly form: 'list'; readonly name: string; readonly element: GoType }
  | { readonly form: 'map'; readonly name: string; readonly element: GoType }
  | { readonly form: 'struct'; readonly name: string };

export interface GoField {
  readonly name: string;
  /** Undefined for embedded structs, whose members are inlined in the outer JSON. */
  readonly jsonName: string | undefined;
  readonly type: GoType;
}

export type GoStructs = ReadonlyMap<string, readonly GoField[]>;

/** Structs with special printing, because JSON writes them as one value. */
const SPECIAL_STRUCTS: readonly string[] = ['resource.Quantity', 'intstr.IntOrString', 'v1.Time', 'v1.FieldsV1'];

/** The fields of all structs in a pod template, by the struct's Go name. */
export function readPodTemplateStructs(): GoStructs {
  const lines = POD_TEMPLATE_STRUCTS.trim()
    .replaceAll(/\n {2}/g, ' ')
    .split('\n');
  const entries = lines.map((line) => line.split(' '));
  const names = new Set([...entries.map(([name = '']) => name), ...SPECIAL_STRUCTS]);
  return new Map(entries.map(([name = '', ...fields]) => [name, fields.map((field) => readField(field, names))]));
}

function readField(text: string, structs: ReadonlySet<string>): GoField {
  const colon = text.indexOf(':');
  const [name = '', jsonName] = text.slice(0, colon).split('/');
  const type = readType(text.slice(colon + 1), structs);
  if (jsonName === '') return { name, jsonName: undefined, type };
  return { name, jsonName: jsonName ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`, type };
}

function readType(text: string, structs: ReadonlySet<string>): GoType {
  if (text.startsWith('*')) {
    const element = readType(text.slice(1), structs);
    return { form: 'pointer', name: `*${element.name}`, element };
  }
  const tilde = text.startsWith('[]') || text.startsWith('map[') ? -1 : text.indexOf('~');
  const ownName = tilde < 0 ? undefined : text.slice(0, tilde);
  const shape = text.slice(tilde + 1);
  if (shape.startsWith('[]')) {
    const element = readType(shape.slice(2), structs);
    return { form: 'list', name: ownName ?? `[]${element.name}`, element };
  }
  if (shape.startsWith('map[')) {
    const close = shape.indexOf(']');
    const element = readType(shape.slice(close + 1), structs);
    return { form: 'map', name: ownName ?? `${shape.slice(0, close + 1)}${element.name}`, element };
  }
  if (structs.has(shape)) return { form: 'struct', name: shape };
  return { form: 'scalar', name: ownName ?? shape, base: shape };
}
