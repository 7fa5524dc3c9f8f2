import type { Frame } from './frame.ts';
import type { Shape } from './shape.ts';

/** A loop variable. */
export interface Local {
  readonly name: string;
  readonly read: (frame: Frame) => unknown;
  /** Set when `read` yields raw JSON of that shape. */
  readonly shape: Shape | undefined;
}

/** The loop variables visible at a point of an expression, and the frame slots in use. */
export class LocalScope {
  readonly #locals: ReadonlyMap<string, Local>;
  readonly #around: LocalScope | undefined;
  readonly #slots: { count: number };

  constructor(locals: readonly Local[] = [], around?: LocalScope) {
    this.#locals = new Map(locals.map((local) => [local.name, local]));
    this.#around = around;
    this.#slots = around === undefined ? { count: 0 } : around.#slots;
  }

  with(locals: readonly Local[]): LocalScope {
    return new LocalScope(locals, this);
  }

  find(name: string): Local | undefined {
    return this.#locals.get(name) ?? this.#around?.find(name);
  }

  newSlot(): number {
    this.#slots.count += 1;
    return this.#slots.count - 1;
  }
}
