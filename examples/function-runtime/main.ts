import { criServer } from 'keelson/cri';
import { functionRuntime } from './function-runtime.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
await criServer(functionRuntime(), { listen: 'unix:///tmp/functions.sock' }).run(stop.signal);
