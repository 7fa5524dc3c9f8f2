import { readFile, stat } from 'node:fs/promises';
import { api, type App, app, extensionServer, type ObjectOf, resource } from 'keelson';

const VERSION = 'geo.example.dev/v1';

export const City = resource(VERSION, 'City', {
  plural: 'cities',
  scope: 'Cluster',
  spec: {
    type: 'object',
    required: ['country', 'population'],
    properties: {
      country: { type: 'string', description: 'Two letters' },
      population: { type: 'integer', description: 'How many people live there' },
    },
  },
  columns: { Country: (city) => city.spec.country, Population: (city) => city.spec.population },
  selectableFields: [(city) => city.spec.country],
  shortNames: ['ct'],
});
export type City = ObjectOf<typeof City>;

/** Reads the rows of a file, and again when it has changed: its modification time is the version of the list. */
class CsvFile {
  readonly #path: string;
  #known: { readonly items: readonly City[]; readonly resourceVersion: string } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<{ readonly items: readonly City[]; readonly resourceVersion: string }> {
    const { mtime } = await stat(this.#path);
    const resourceVersion = String(mtime.getTime());
    if (this.#known?.resourceVersion !== resourceVersion) {
      const [, ...lines] = (await readFile(this.#path, 'utf8')).trim().split('\n');
      const items = lines.map((line) => cityOf(line, resourceVersion, mtime));
      this.#known = { items, resourceVersion };
    }
    return this.#known;
  }
}

function cityOf(line: string, resourceVersion: string, changed: Date): City {
  const [name = '', country = '', population = ''] = line.split(',').map((cell) => cell.trim());
  return {
    metadata: {
      name,
      uid: `city-${name}`,
      resourceVersion,
      creationTimestamp: `${changed.toISOString().slice(0, 19)}Z`,
    },
    spec: { country, population: Number(population) },
  };
}

/** Serves the rows of a file as read-only cities. */
export function citiesApp(path: string, port = 0): App {
  const file = new CsvFile(path);
  const geo = api(VERSION, { cities: { schema: City, list: () => file.list() } });
  return app('csv-api', [], { server: extensionServer({ apis: [geo], port }) });
}
