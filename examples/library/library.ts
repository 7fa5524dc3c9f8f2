import {
  admission,
  api,
  type App,
  app,
  ConfigMap,
  controller,
  extensionServer,
  memoryStorage,
  type ObjectOf,
  resource,
} from 'keelson';

const shelf = { type: 'string', minLength: 1 } as const;

/** A loan of a book. Older clients call the reader `borrower`. */
export const Loan = resource('library.example.dev/v1', 'Loan', {
  spec: {
    type: 'object',
    required: ['book', 'reader'],
    properties: { book: { type: 'string' }, reader: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  },
  status: { type: 'object', properties: { slip: { type: 'string' } } },
  columns: { Book: (loan) => loan.spec.book, Reader: (loan) => loan.spec.reader },
}).older(
  'v1beta1',
  {
    spec: {
      type: 'object',
      required: ['book', 'borrower'],
      properties: { book: { type: 'string' }, borrower: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    },
  },
  {
    up: ({ spec: { borrower, ...spec } }) => ({ spec: { ...spec, reader: borrower } }),
    down: ({ spec: { reader, ...spec } }) => ({ spec: { ...spec, borrower: reader } }),
  },
);
export type Loan = ObjectOf<typeof Loan>;

/** A book in the catalogue, which the app keeps itself. */
export const Book = resource('catalogue.example.dev/v1', 'Book', {
  spec: { type: 'object', required: ['shelf'], properties: { shelf } },
});

/** Creates a slip, a ConfigMap, for each loan. */
const slips = controller(Loan, {
  name: 'slips',
  owns: [ConfigMap],
  async reconcile({ metadata, spec }, { desire }) {
    const slip = await desire(ConfigMap, {
      metadata: { name: `slip-${metadata.name}` },
      data: { text: `${spec.reader} has ${spec.book} for ${spec.days} days` },
    });
    return { slip: slip.metadata.name };
  },
});

/** Limits the term of a loan. */
const terms = admission(Loan, {
  name: 'terms.loans.example.dev',
  failurePolicy: 'Fail',
  mutate: (loan) => (loan.spec.days === undefined ? { ...loan, spec: { ...loan.spec, days: 28 } } : undefined),
  validate: (loan) => ((loan.spec.days ?? 0) > 90 ? 'a book is lent for 90 days at most' : undefined),
});

/** Readers by their card, which is their token. */
const cards = new Map([['card-7', { name: 'ada', groups: ['readers'] }]]);

/**
 * A library: a kind with two versions, a controller, admission, an aggregated API, authentication and authorization, in
 * one app with one server.
 */
export function library(serving: { readonly port?: number; readonly folder?: string } = {}): App {
  return app('library', [slips], {
    resources: [Loan],
    leaderElection: true,
    health: { port: 0 },
    server: extensionServer({
      ...serving,
      admission: [terms],
      apis: [api('catalogue.example.dev/v1', { books: memoryStorage(Book) })],
      authenticate: (token) => cards.get(token),
      authorize: ({ groups, resource: asked }) =>
        groups.includes('readers') && asked?.group === 'catalogue.example.dev' && asked.verb !== 'delete'
          ? 'allow'
          : 'noOpinion',
    }),
  });
}
