import { keyValueBroker } from './broker.ts';
import { KeyValues } from './key-values.ts';

const stores = new KeyValues(() => crypto.getRandomValues(Buffer.alloc(16)).toString('hex'));
const server = stores.serve().listen(8091, '127.0.0.1');
const { BROKER_PASSWORD: platform = 'secret', PORT: port = '8090' } = process.env;
await keyValueBroker(stores, 'http://127.0.0.1:8091').run({ port: Number(port), access: { basic: { platform } } });
server.close().closeAllConnections();
