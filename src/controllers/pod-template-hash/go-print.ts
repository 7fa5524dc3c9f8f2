import { compareUtf8 } from '../../base/index.ts';
import { unreachable } from '../../base/index.ts';
import { printQuantity } from './go-quantity.ts';
import type { GoField, GoStructs, GoType } from './go-type.ts';

/**
 * Prints JSON as Go's spew package prints the corresponding typed value, on one line with types (`%#v`).
 *
 * Example: `{"image":"nginx"}` as a v1.Container begins `{Name:(string) Image:(string)nginx Command:([]string)<nil>`.
 *
 * Assumes that the JSON is as an API server stores it, with empty lists and maps omitted.
 */
export class GoPrinter {
  readonly #structs: GoStructs;

  constructor(structs: GoStructs) {
    this.#structs = structs;
  }

  /** The value preceded by its type, as at the top level and in struct fields. */
  printTyped(value: unknown, type: GoType): string {
    return `(${type.name})${this.#print(value ?? undefined, type)}`;
  }

  #print(value: unknown, type: GoType): string {
    switch (type.form) {
      case 'scalar':
        return printScalar(value, type.base);
      case 'pointer':
        return value === undefined ? '<nil>' : this.#print(value, type.element);
      case 'list':
        return this.#printList(value, type.element);
      case 'map':
        return this.#printMap(value, type.element);
      case 'struct':
        return this.#printStruct(value, type.name);
      default:
        return unreachable(type);
    }
  }

  #printList(value: unknown, element: GoType): string {
    if (!Array.isArray(value) || value.length === 0) return '<nil>';
    return `[${value.map((item) => this.#print(item, element)).join(' ')}]`;
  }

  #printMap(value: unknown, element: GoType): string {
    const entries = Object.entries(objectOf(value));
    if (entries.length === 0) return '<nil>';
    const sorted = entries.toSorted(([left], [right]) => compareUtf8(left, right));
    return `map[${sorted.map(([key, item]) => `${key}:${this.#print(item, element)}`).join(' ')}]`;
  }

  #printStruct(value: unknown, name: string): string {
    switch (name) {
      case 'resource.Quantity':
        return printQuantity(value === undefined ? '0' : String(value as string | number));
      case 'intstr.IntOrString':
        return printIntOrString(value);
      case 'v1.Time':
        return `{Time:(time.Time)${printTime(value)}}`;
      case 'v1.FieldsV1':
        return `{Raw:([]uint8)[${[...new TextEncoder().encode(JSON.stringify(value))].join(' ')}]}`;
      default:
        return this.#printFields(objectOf(value), this.#structs.get(name) ?? []);
    }
  }

  #printFields(value: Readonly<Record<string, unknown>>, fields: readonly GoField[]): string {
    const printed = fields.map(({ name, jsonName, type }) => {
      return `${name}:${this.printTyped(jsonName === undefined ? value : value[jsonName], type)}`;
    });
    return `{${printed.join(' ')}}`;
  }
}

function printScalar(value: unknown, base: string): string {
  if (value !== undefined) return String(value as string | number | boolean);
  if (base === 'string') return '';
  return base === 'bool' ? 'false' : '0';
}

function printIntOrString(value: unknown): string {
  const isText = typeof value === 'string';
  const number = typeof value === 'number' ? value : 0;
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${number} StrVal:(string)${isText ? value : ''}}`;
}

/** The zero time, or for others a text that differs when the time does: Go would print time zone tables there. */
function printTime(value: unknown): string {
  if (value === undefined || value === null) return '{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}';
  return `{wall:(uint64)0 ext:(int64)${value as string} loc:(*time.Location)}`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
