import { DeviceSelectors, type Program } from '../../cel/index.ts';
import type { Device, Slice } from './device.ts';

/** A selector that cannot be compiled, or fails for a device: whoever wrote it has to mend it. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

type Compiled = { readonly program: Program } | { readonly problem: string };

/** Compiled expressions that are kept, the latest used ones. */
const MOST_EXPRESSIONS = 100;

/**
 * Asks the selectors of classes and claims about devices.
 *
 * A slice that changes is a new object, so the answers of a slice's devices hold for as long as it is there.
 */
export class DeviceSelection {
  readonly #selectors = new DeviceSelectors();
  readonly #compiled = new Map<string, Compiled>();
  #answers = new WeakMap<Slice, Map<string, boolean>>();

  /** Whether the expression takes the device. Throws `SelectorError`. */
  matches(expression: string, device: Device, slice: Slice): boolean {
    const compiled = this.#compile(expression);
    if ('problem' in compiled) throw new SelectorError(`CEL compile error: ${compiled.problem}`);
    const answers = this.#answers.get(slice) ?? new Map<string, boolean>();
    this.#answers.set(slice, answers);
    const key = `${device.name}/${expression}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const { allowMultipleAllocations, attributes, capacity } = device;
    const seen = { driver: slice.spec.driver, allowMultipleAllocations, attributes, capacity };
    const answer = this.#selectors.matches(compiled.program, seen);
    if (!answer.ok) throw new SelectorError(`CEL runtime error: ${answer.error}`);
    answers.set(key, answer.matches);
    return answer.matches;
  }

  #compile(expression: string): Compiled {
    const known = this.#compiled.get(expression);
    if (known !== undefined) this.#compiled.delete(expression); // to be the latest one
    const compiled = known ?? this.#compileAnew(expression);
    this.#compiled.set(expression, compiled);
    return compiled;
  }

  #compileAnew(expression: string): Compiled {
    if (this.#compiled.size >= MOST_EXPRESSIONS) {
      const [oldest] = this.#compiled.keys();
      this.#compiled.delete(oldest as string);
      this.#answers = new WeakMap(); // answers are kept for expressions that are
    }
    const result = this.#selectors.compile(expression);
    return result.ok ? { program: result.program } : { problem: result.problem.detail };
  }
}
