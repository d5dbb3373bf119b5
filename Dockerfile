# Cloche with everything fetched: `docker build -t cloche .`, then `docker run --rm -i cloche run -c 'print(6 * 7)'`,
# or a server: `docker compose up`, see compose.yaml.
# No privileges are needed: where bubblewrap may not make namespaces, Landlock + seccomp take its place.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
COPY requirements/image.txt /source/requirements/image.txt
RUN python3 -m venv /opt/cloche \
 && /opt/cloche/bin/pip install --no-cache-dir --require-hashes -r /source/requirements/image.txt \
 && /opt/cloche/bin/pip install --no-cache-dir --no-deps --no-build-isolation /source

FROM ${BASE}
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 cloche
COPY --from=build /opt/cloche /opt/cloche
ENV PATH=/opt/cloche/bin:$PATH CLOCHE_CACHE=/var/cache/cloche
RUN install -d -o cloche /var/cache/cloche /work /data
ENV CLOCHE_DATA=/data
VOLUME /data
EXPOSE 8484
USER cloche
# At build time, so that containers start at once and need no network.
RUN cloche fetch && cloche run -c 'print("ready")'
WORKDIR /work
ENTRYPOINT ["cloche"]
CMD ["--help"]
