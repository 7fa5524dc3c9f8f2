import { directory } from './flexvolume-directory.ts';

void directory.main();
