# UNTESTED: nothing in this repository builds or runs this image. See docs/operating/machines.md.
FROM node:24-bookworm-slim
WORKDIR /ergon
COPY . .
# Vite builds the pages and is a dependency; what only development needs stays out.
RUN npm ci --omit=dev --no-audit --no-fund && node web/build.ts && chown -R node:node /ergon
USER node
ENV HOST=0.0.0.0 DATA_DIR=/ergon/.data
VOLUME /ergon/.data
EXPOSE 8080
# ROLE chooses the process; the signer is `node --max-semi-space-size=1 service/signer.ts`.
CMD ["node", "--max-semi-space-size=16", "service/app/main.ts"]
