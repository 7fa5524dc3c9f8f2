import type { Shape } from './schema.ts';

/** Finds which shapes of structural types contain something at any depth, so that walks can skip all others. */
export class ShapeSearch {
  readonly #isIt: (shape: Shape) => boolean;
  readonly #known = new WeakMap<Shape, boolean>();

  constructor(isIt: (shape: Shape) => boolean) {
    this.#isIt = isIt;
  }

  has(shape: Shape): boolean {
    let answer = this.#known.get(shape);
    if (answer === undefined) {
      answer = this.#isIt(shape) || innerShapes(shape).some((inner) => this.has(inner));
      this.#known.set(shape, answer);
    }
    return answer;
  }
}

function innerShapes(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'scalar':
      return [];
    case 'list':
      return [shape.element];
    case 'map':
      return [shape.value];
    case 'struct':
      return shape.struct.isStructural === true ? shape.struct.fields.map((field) => field.shape) : [];
  }
}
