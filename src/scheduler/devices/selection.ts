import { DeviceSelectors, type Program } from '../../cel/index.ts';
import type { Device, Slice } from './device.ts';

/** A CEL selector that does not compile or fails for a device; the author of the class or claim must fix it. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

type Compiled = { readonly program: Program } | { readonly problem: string };

/** Maximum number of cached compiled expressions; the least recently used one is dropped. */
const MAX_EXPRESSIONS = 100;

/**
 * Evaluates the CEL selectors of classes and claims.
 *
 * A changed slice is a new object, so results are cached for as long as the slice object exists.
 */
export class DeviceSelection {
  readonly #selectors = new DeviceSelectors();
  readonly #compiled = new Map<string, Compiled>();
  #answers = new WeakMap<Slice, Map<string, boolean>>();

  /** Whether the expression selects the device. Throws `SelectorError`. */
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
    if (known !== undefined) this.#compiled.delete(expression); // reinserted to become the most recently used
    const compiled = known ?? this.#compileExpression(expression);
    this.#compiled.set(expression, compiled);
    return compiled;
  }

  #compileExpression(expression: string): Compiled {
    if (this.#compiled.size >= MAX_EXPRESSIONS) {
      const [oldest] = this.#compiled.keys();
      this.#compiled.delete(oldest as string);
      this.#answers = new WeakMap(); // results are kept only as long as their expressions
    }
    const result = this.#selectors.compile(expression);
    return result.ok ? { program: result.program } : { problem: result.problem.detail };
  }
}
