import { criRuntime, RuntimeError, type ServedRuntime } from 'keelson/cri';

type Program = Parameters<typeof criRuntime>[0]['run'];

/** Images are functions: the name of a container's image says which one it runs. */
const programs: Readonly<Record<string, Program>> = {
  async hello({ config }, { stdout }) {
    await stdout(`hello from ${config.metadata.name}\n`);
    return 0;
  },
  async parrot(_, { stdin, stdout }) {
    for await (const words of stdin) await stdout(words);
    return 0;
  },
  async sleeper(_, { signal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 143;
  },
};

const programOf = (image: string): string => image.replace(/^.*\//, '').replace(/[:@].*$/, '');

/** A container runtime whose containers are functions of this process. */
export function functionRuntime(): ServedRuntime {
  return criRuntime({
    name: 'function',
    version: '1.0.0',
    run: (container, io) => programs[programOf(container.config.image.image)]?.(container, io) ?? Promise.resolve(127),
    async exec(_, command, { stdout }) {
      await stdout(`you said: ${command.join(' ')}\n`);
      return 0;
    },
    async pull({ image }) {
      const name = programOf(image.image);
      if (programs[name] === undefined) throw new RuntimeError('NotFound', `there is no function "${name}"`);
      return { id: `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0')}`, size: 1 };
    },
  });
}
