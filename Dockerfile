# One image for all processes: ROLE chooses what the service does, another command starts the signer.
# No container engine has built it here: proof/image.test.ts runs these steps in plain folders and starts the
# service there as the user below (docs/operating/machines.md).
FROM node:24-bookworm-slim AS pages
WORKDIR /ergon
COPY . .
RUN npm ci --omit=dev && npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /ergon
COPY . .
# What is optional is for the sandbox and the build: a Node, a PostgreSQL, compilers of pages.
RUN npm ci --omit=dev --omit=optional

# Without npm's cache, which stays behind.
FROM node:24-bookworm-slim
WORKDIR /ergon
COPY --from=packages /ergon .
COPY --from=pages /ergon/web/dist web/dist
# The user node of the base image. It owns nothing but the two folders that are written to.
RUN mkdir data signer && chown 1000:1000 data signer
USER 1000:1000
ENV MODE=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/ergon/data SIGNER_DIR=/ergon/signer
EXPOSE 8080
# The signer listens nowhere: switch this off for it.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=8", "--max-semi-space-size=16", "service/app/main.ts"]
