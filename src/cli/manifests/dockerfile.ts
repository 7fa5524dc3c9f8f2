import type { DeploymentSettings } from './settings.ts';

/** Node.js of this version reads TypeScript by itself. */
const BASE = 'node:24-slim';

/** Builds an image of the project, without build tools; the program runs as an unprivileged user. */
export function dockerfile({ entry }: Pick<DeploymentSettings, 'entry'>): string {
  return `# docker build -t IMAGE -f deploy/Dockerfile . in the folder of the project; deploy is where this file is
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json* ./
RUN if [ -f package-lock.json ]; then npm ci; else npm install; fi
COPY . .
RUN npm run build --if-present && npm prune --omit=dev

FROM ${BASE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app ./
USER 1000
ENTRYPOINT ${JSON.stringify(['node', ...entry])}
`;
}

/** Files that stay out of the build, such as tokens of registries, which would stay in the image. */
export const dockerignore = `node_modules
.git
.npmrc
dist
`;
