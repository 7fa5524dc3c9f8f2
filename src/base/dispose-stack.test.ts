import { expect, test } from 'vitest';
import { DisposeStack } from './dispose-stack.ts';

/** Records the order in which its parts are closed. */
class Parts {
  readonly closed: string[] = [];

  sync(name: string): Disposable {
    return { [Symbol.dispose]: () => void this.closed.push(name) };
  }

  async(name: string, failure?: Error): AsyncDisposable {
    return {
      [Symbol.asyncDispose]: async () => {
        await Promise.resolve();
        this.closed.push(name);
        if (failure !== undefined) throw failure;
      },
    };
  }
}

test('when a later step throws, what was opened before is closed, the last first', async () => {
  const parts = new Parts();
  const open = async (): Promise<void> => {
    await using opened = new DisposeStack();
    opened.use(parts.async('a'));
    opened.use(parts.sync('b'));
    opened.use(parts.async('c'));
    throw new Error('no socket');
  };
  await expect(open()).rejects.toThrow('no socket');
  expect(parts.closed).toEqual(['c', 'b', 'a']);
});

test('after a move, only the other stack closes the resources, and only once', async () => {
  const parts = new Parts();
  const stack = new DisposeStack();
  stack.use(parts.async('a'));
  const other = stack.move();
  await stack[Symbol.asyncDispose]();
  expect(parts.closed).toEqual([]);
  await other[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  expect(parts.closed).toEqual(['a']);
});

test('a failure to close one resource does not keep the others open', async () => {
  const parts = new Parts();
  const stack = new DisposeStack();
  stack.use(parts.sync('a'));
  stack.use(parts.async('b', new Error('b is busy')));
  stack.use(parts.async('c', new Error('c is busy')));
  await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('c is busy');
  expect(parts.closed).toEqual(['c', 'b', 'a']);
});
