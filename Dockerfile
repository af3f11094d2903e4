# Throughline in a container: `serve` by default, `worker` or any other command in its place. docs/how-to/operate.md says how it is run.

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
# The driver of PostgreSQL is an optional peer of the package; it comes in the version of the lock file, like everything else. Nothing is compiled.
RUN npm ci --omit=dev --ignore-scripts \
  && npm install --no-save --save-prod --omit=dev --ignore-scripts pg

# The page of the inspector is built; Vite stays behind.
FROM node:24-slim AS page
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
RUN npm ci --ignore-scripts && node packages/inspector/build-page.ts /app/page

FROM node:24-slim
ENV NODE_ENV=production
# Others than the container must reach it, so it does not start without API keys.
ENV THROUGHLINE__SERVER__HOST=0.0.0.0
COPY --from=dependencies /app/node_modules /app/node_modules
COPY package.json LICENSE /app/
COPY packages /app/packages
COPY --from=page /app/page /app/packages/inspector/page
COPY examples/diary /app/examples/diary
# The database of whoever names no other one, and throughline.yaml if there is one.
RUN mkdir /data && chown node:node /data
VOLUME /data
WORKDIR /data
USER node
EXPOSE 8420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.THROUGHLINE__SERVER__PORT || 8420}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/packages/server/src/cli/main.ts"]
CMD ["serve"]
