import { bridge } from './cni-bridge.ts';

void bridge.main();
