package dev.holdfast.system.architecture;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.Dependency;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The allowed dependencies between modules. The engine and the backends share only the SPI; only
 * {@code dev.holdfast}, which wires them, sees both.
 *
 * @param sees for each module, the modules it may require or touch beside java.base; a module that
 *     is not a key may see nothing
 * @param exports for each module, the packages it may export; everything else is internal
 */
record ModuleArrows(Map<String, Set<String>> sees, Map<String, Set<String>> exports) {

  /** Packages whose records are rows or JSON (ADR 74). */
  private static final Set<String> OPENED =
      Set.of(
          "dev.holdfast.http.internal.accounts",
          "dev.holdfast.http.internal.firewall",
          "dev.holdfast.http.internal.migration",
          "dev.holdfast.http.internal.pagemonitor",
          "dev.holdfast.http.internal.reply");

  private static final String API = "dev.holdfast.api";
  private static final String SPI = "dev.holdfast.spi";
  private static final String CLONE = "dev.holdfast.clone";
  private static final String JOURNAL = "dev.holdfast.journal";
  private static final String SHARDS = "dev.holdfast.shards";
  private static final String SQLITE = "dev.holdfast.backend.sqlite";
  private static final String ROCKSDB = "dev.holdfast.backend.rocksdb";
  private static final String LOG_RATIS = "dev.holdfast.log.ratis";
  private static final String VERIFY = "dev.holdfast.verify";
  private static final String PITR = "dev.holdfast.pitr";
  private static final String BACKUP = "dev.holdfast.backup";
  private static final String ARCHIVER = "dev.holdfast.archiver";
  private static final String ARCHIVE_S3 = "dev.holdfast.archive.s3";
  private static final String ALARMS = "dev.holdfast.alarms";
  private static final String RUNTIME = "dev.holdfast.runtime";
  private static final String EMBEDDED = "dev.holdfast";
  private static final String ALL = "dev.holdfast.all";
  private static final String CLUSTER = "dev.holdfast.cluster";
  private static final String EXPRESSION = "dev.holdfast.http.expression";
  private static final String ZONE = "dev.holdfast.http.zone";
  private static final String FIREWALL = "dev.holdfast.http.firewall";
  private static final String MONITOR = "dev.holdfast.http.monitor";
  private static final String HTTP = "dev.holdfast.http";
  private static final String HTTP_SERVER = "dev.holdfast.http.server";
  private static final String CONSOLE = "dev.holdfast.console";
  private static final String MICROMETER = "dev.holdfast.micrometer";
  private static final String JACKSON = "dev.holdfast.jackson";
  private static final String TESTKIT = "dev.holdfast.testkit";
  private static final String FAULTS = "dev.holdfast.faults";
  private static final String HISTORIES = "dev.holdfast.histories";
  private static final String SCHEDULES = "dev.holdfast.schedules";
  private static final String CONTRACT = "dev.holdfast.contract";
  private static final String CRASH = "dev.holdfast.crash";
  private static final String CONFORMANCE = "dev.holdfast.conformance";
  private static final String LAUNCHER = "dev.holdfast.launcher";
  private static final String LEDGER = "dev.holdfast.ledger";
  private static final String NODES = "dev.holdfast.nodes";
  private static final String SERVER = "dev.holdfast.server";
  private static final String OPERATOR = "dev.holdfast.operator";
  private static final String OPERATE = "dev.holdfast.operate";
  private static final String PICOCLI = "info.picocli";
  private static final String JSPECIFY = "org.jspecify";

  /**
   * The table of ARCHITECTURE.md. A new module, arrow or exported package is written here first.
   */
  static final ModuleArrows DECIDED =
      new ModuleArrows(
          Map.ofEntries(
              entry(API, Set.of(JSPECIFY)),
              entry(SPI, Set.of(JSPECIFY, API)),
              entry(CLONE, Set.of(JSPECIFY)),
              entry(ALARMS, Set.of(JSPECIFY, API, SPI, "com.cronutils")),
              entry(JOURNAL, Set.of(JSPECIFY, API, SPI)),
              entry(SHARDS, Set.of(JSPECIFY, API, SPI, JOURNAL)),
              entry(SQLITE, Set.of(JSPECIFY, API, SPI, "java.sql", "org.xerial.sqlitejdbc")),
              // Its library is not a module: CodeRules limits the code that uses org.rocksdb.
              entry(ROCKSDB, Set.of(JSPECIFY, API, SPI)),
              // Ratis is not a module: CodeRules limits the code that uses it.
              entry(LOG_RATIS, Set.of(JSPECIFY, API, SPI)),
              entry(PITR, Set.of(JSPECIFY, API, SPI)),
              entry(
                  VERIFY,
                  Set.of(
                      JSPECIFY, API, SPI, EMBEDDED, RUNTIME, BACKUP, ARCHIVER, JOURNAL, SHARDS,
                      SQLITE, ROCKSDB, PITR)),
              entry(BACKUP, Set.of(JSPECIFY, API, SPI)),
              entry(ARCHIVER, Set.of(JSPECIFY, API, SPI, JOURNAL)),
              entry(
                  ARCHIVE_S3,
                  Set.of(
                      JSPECIFY,
                      API,
                      "software.amazon.awssdk.auth",
                      "software.amazon.awssdk.awscore",
                      "software.amazon.awssdk.core",
                      "software.amazon.awssdk.http",
                      "software.amazon.awssdk.http.urlconnection",
                      "software.amazon.awssdk.regions",
                      "software.amazon.awssdk.services.s3")),
              entry(
                  RUNTIME,
                  Set.of(JSPECIFY, API, SPI, CLONE, "com.github.benmanes.caffeine", "jdk.jfr")),
              entry(
                  EMBEDDED,
                  Set.of(
                      JSPECIFY, API, SPI, CLONE, JOURNAL, SQLITE, PITR, BACKUP, ALARMS, RUNTIME)),
              // It has no classes: it brings what EMBEDDED finds as services.
              entry(ALL, Set.of(EMBEDDED, ARCHIVER, OPERATOR, ROCKSDB)),
              entry(OPERATOR, Set.of(JSPECIFY, API, SPI, CLONE, "jdk.net")),
              entry(
                  CLUSTER,
                  Set.of(
                      JSPECIFY, API, SPI, CLONE, EMBEDDED, ARCHIVER, BACKUP, JOURNAL, SHARDS,
                      SQLITE, PITR, LOG_RATIS, OPERATOR, RUNTIME, VERIFY, "jdk.jfr")),
              // RE2/J and salvation are not modules: read at run time.
              entry(EXPRESSION, Set.of(JSPECIFY)),
              entry(
                  ZONE,
                  Set.of(
                      JSPECIFY, API, EXPRESSION, "tools.jackson.core", "tools.jackson.databind")),
              entry(
                  FIREWALL,
                  Set.of(
                      JSPECIFY,
                      API,
                      EXPRESSION,
                      ZONE,
                      "tools.jackson.core",
                      "tools.jackson.databind")),
              entry(
                  MONITOR,
                  Set.of(
                      JSPECIFY,
                      API,
                      EXPRESSION,
                      ZONE,
                      "tools.jackson.core",
                      "tools.jackson.databind")),
              entry(
                  HTTP,
                  Set.of(
                      JSPECIFY,
                      API,
                      EXPRESSION,
                      ZONE,
                      FIREWALL,
                      MONITOR,
                      "de.siegmar.fastcsv",
                      "jakarta.servlet",
                      "tools.jackson.core",
                      "tools.jackson.databind")),
              entry(
                  HTTP_SERVER,
                  Set.of(
                      JSPECIFY,
                      API,
                      EXPRESSION,
                      ZONE,
                      FIREWALL,
                      MONITOR,
                      HTTP,
                      "org.eclipse.jetty.alpn.server",
                      "org.eclipse.jetty.client",
                      "org.eclipse.jetty.compression.gzip",
                      "org.eclipse.jetty.compression.server",
                      "org.eclipse.jetty.http2.server",
                      "org.eclipse.jetty.proxy",
                      "org.eclipse.jetty.server")),
              entry(
                  CONSOLE,
                  Set.of(
                      JSPECIFY,
                      API,
                      SPI,
                      OPERATOR,
                      "gg.jte.runtime",
                      "jakarta.servlet",
                      "java.compiler",
                      "org.eclipse.jetty.ee10.servlet",
                      "org.eclipse.jetty.http",
                      "org.eclipse.jetty.io",
                      "org.eclipse.jetty.server",
                      "org.eclipse.jetty.util")),
              entry(
                  MICROMETER,
                  Set.of(
                      JSPECIFY,
                      API,
                      "micrometer.commons",
                      "micrometer.core",
                      "micrometer.observation",
                      "micrometer.tracing")),
              entry(JACKSON, Set.of(JSPECIFY, API, "tools.jackson.core", "tools.jackson.databind")),
              entry(TESTKIT, Set.of(JSPECIFY, API, SPI)),
              entry(
                  FAULTS,
                  Set.of(
                      JSPECIFY,
                      API,
                      SPI,
                      "java.management",
                      "jdk.management",
                      "org.junit.jupiter.api",
                      "org.junit.platform.engine",
                      "org.junit.platform.launcher")),
              entry(HISTORIES, Set.of(JSPECIFY)),
              entry(SCHEDULES, Set.of(JSPECIFY, API, SPI, TESTKIT)),
              entry(
                  CONTRACT,
                  Set.of(
                      JSPECIFY,
                      API,
                      SPI,
                      TESTKIT,
                      FAULTS,
                      "org.junit.jupiter.api",
                      "net.jqwik.api",
                      "org.assertj.core")),
              entry(
                  CRASH,
                  Set.of(
                      JSPECIFY, API, SPI, EMBEDDED, CLUSTER, NODES, HISTORIES, LAUNCHER, OPERATOR,
                      PICOCLI)),
              entry(
                  CONFORMANCE,
                  Set.of(
                      JSPECIFY,
                      API,
                      EMBEDDED,
                      CLONE,
                      LAUNCHER,
                      PICOCLI,
                      "java.sql",
                      "com.fasterxml.jackson.core",
                      "com.fasterxml.jackson.databind")),
              entry(LAUNCHER, Set.of(JSPECIFY, API, PICOCLI, "java.logging")),
              entry(
                  LEDGER,
                  Set.of(
                      JSPECIFY,
                      API,
                      EMBEDDED,
                      CLUSTER,
                      CONSOLE,
                      LAUNCHER,
                      NODES,
                      OPERATOR,
                      PICOCLI,
                      "de.siegmar.fastcsv")),
              entry(
                  NODES,
                  Set.of(
                      OPERATOR,
                      "tools.jackson.databind",
                      JSPECIFY,
                      API,
                      CLUSTER,
                      LAUNCHER,
                      PICOCLI)),
              entry(
                  SERVER,
                  Set.of(
                      JSPECIFY,
                      API,
                      EMBEDDED,
                      EXPRESSION,
                      ZONE,
                      FIREWALL,
                      MONITOR,
                      HTTP,
                      HTTP_SERVER,
                      LAUNCHER,
                      OPERATOR,
                      PICOCLI,
                      "java.logging",
                      "tools.jackson.core",
                      "tools.jackson.databind")),
              entry(
                  OPERATE,
                  Set.of(
                      JSPECIFY,
                      API,
                      SPI,
                      CLONE,
                      OPERATOR,
                      CONSOLE,
                      EMBEDDED,
                      CLUSTER,
                      ARCHIVER,
                      ARCHIVE_S3,
                      VERIFY,
                      LAUNCHER,
                      PICOCLI,
                      "tools.jackson.core",
                      "tools.jackson.databind"))),
          Map.ofEntries(
              entry(
                  API,
                  Set.of(
                      "dev.holdfast",
                      "dev.holdfast.storage",
                      "dev.holdfast.sql",
                      "dev.holdfast.alarm",
                      "dev.holdfast.archive",
                      "dev.holdfast.codec",
                      "dev.holdfast.event",
                      "dev.holdfast.errors",
                      "dev.holdfast.filter",
                      "dev.holdfast.health",
                      "dev.holdfast.migration",
                      "dev.holdfast.recovery",
                      "dev.holdfast.statistics")),
              entry(
                  SPI,
                  Set.of(
                      "dev.holdfast.spi",
                      "dev.holdfast.spi.backup",
                      "dev.holdfast.spi.catalog",
                      "dev.holdfast.spi.disk",
                      "dev.holdfast.spi.inspect",
                      "dev.holdfast.spi.log",
                      "dev.holdfast.spi.statistics",
                      "dev.holdfast.spi.storage",
                      "dev.holdfast.spi.verify")),
              entry(
                  CLONE,
                  Set.of("dev.holdfast.clone", "dev.holdfast.clone.codec", "dev.holdfast.value")),
              entry(
                  JOURNAL,
                  Set.of(
                      "dev.holdfast.journal",
                      "dev.holdfast.journal.file",
                      "dev.holdfast.journal.group",
                      "dev.holdfast.journal.retention")),
              entry(
                  SHARDS,
                  Set.of(
                      "dev.holdfast.journal.check",
                      "dev.holdfast.journal.image",
                      "dev.holdfast.journal.replica",
                      "dev.holdfast.journal.shard")),
              // All but the first are for verify alone.
              entry(
                  SQLITE,
                  Set.of(
                      "dev.holdfast.backend.sqlite",
                      "dev.holdfast.backend.sqlite.binding",
                      "dev.holdfast.backend.sqlite.catalog",
                      "dev.holdfast.backend.sqlite.database",
                      "dev.holdfast.backend.sqlite.file",
                      "dev.holdfast.backend.sqlite.recovery",
                      "dev.holdfast.backend.sqlite.wal")),
              entry(ROCKSDB, Set.of("dev.holdfast.backend.rocksdb")),
              entry(LOG_RATIS, Set.of("dev.holdfast.log.ratis")),
              entry(PITR, Set.of("dev.holdfast.pitr")),
              entry(VERIFY, Set.of("dev.holdfast.verify")),
              entry(BACKUP, Set.of("dev.holdfast.backup")),
              entry(ARCHIVER, Set.of("dev.holdfast.archiver")),
              entry(ARCHIVE_S3, Set.of("dev.holdfast.archive.s3")),
              entry(RUNTIME, Set.of("dev.holdfast.runtime")),
              entry(ALARMS, Set.of("dev.holdfast.alarms")),
              entry(OPERATOR, Set.of("dev.holdfast.operator", "dev.holdfast.operator.value")),
              entry(EMBEDDED, Set.of("dev.holdfast.embedded", "dev.holdfast.embedded.parts")),
              entry(
                  CLUSTER,
                  Set.of(
                      "dev.holdfast.cluster",
                      "dev.holdfast.cluster.errors",
                      "dev.holdfast.cluster.tls")),
              entry(EXPRESSION, Set.of("dev.holdfast.http.expression", "dev.holdfast.http.url")),
              // All but the first are for the domains and the API alone.
              entry(
                  ZONE,
                  Set.of(
                      "dev.holdfast.http.object",
                      "dev.holdfast.http.address",
                      "dev.holdfast.http.internal.accounts",
                      "dev.holdfast.http.internal.json",
                      "dev.holdfast.http.internal.store")),
              // What is internal is for the API alone.
              entry(
                  FIREWALL,
                  Set.of(
                      "dev.holdfast.http.firewall",
                      "dev.holdfast.http.firewall.object",
                      "dev.holdfast.http.service.firewall",
                      "dev.holdfast.http.internal.firewallzone",
                      "dev.holdfast.http.internal.request")),
              entry(
                  MONITOR,
                  Set.of(
                      "dev.holdfast.http.analysis",
                      "dev.holdfast.http.monitor.object",
                      "dev.holdfast.http.service.monitor",
                      "dev.holdfast.http.internal.pagemonitor")),
              entry(
                  HTTP,
                  Set.of("dev.holdfast.http", "dev.holdfast.http.call", "dev.holdfast.http.site")),
              entry(
                  HTTP_SERVER,
                  Set.of(
                      "dev.holdfast.http.server",
                      "dev.holdfast.http.server.fetch",
                      "dev.holdfast.http.server.site")),
              entry(CONSOLE, Set.of("dev.holdfast.console")),
              entry(MICROMETER, Set.of("dev.holdfast.micrometer")),
              entry(JACKSON, Set.of("dev.holdfast.jackson")),
              entry(TESTKIT, Set.of("dev.holdfast.testkit")),
              entry(FAULTS, Set.of("dev.holdfast.faults", "dev.holdfast.faults.planted")),
              entry(HISTORIES, Set.of("dev.holdfast.histories")),
              entry(SCHEDULES, Set.of("dev.holdfast.schedules")),
              entry(CONTRACT, Set.of("dev.holdfast.contract")),
              entry(NODES, Set.of("dev.holdfast.nodes")),
              entry(LAUNCHER, Set.of("dev.holdfast.launcher", "dev.holdfast.launcher.process"))));

  /** Modules that are programs: they print and read the clock. */
  static final Set<String> APPLICATIONS =
      Set.of(LAUNCHER, NODES, LEDGER, SERVER, OPERATE, CRASH, CONFORMANCE);

  /**
   * The place of a module; modules of the product see only each other, and only proofs see
   * everything.
   */
  private enum Place {
    LINKED,
    TESTKIT,
    PROOF,
    APPS;

    static Place of(Path directory) {
      return switch (directory.getName(0).toString()) {
        case "testkit", "schedules", "junit" -> TESTKIT;
        case "proof" -> PROOF;
        case "apps" -> APPS;
        default -> LINKED;
      };
    }

    boolean maySee(Place other) {
      return this == PROOF || this == other || other == LINKED;
    }
  }

  /** Compares the table with the places of the modules; returns the differences as sentences. */
  List<String> forbiddenPlaces(HoldfastModules modules) {
    return sees.entrySet().stream()
        .flatMap(
            row ->
                row.getValue().stream()
                    .filter(modules.names()::contains)
                    .filter(to -> !place(row.getKey(), modules).maySee(place(to, modules)))
                    .map(to -> row.getKey() + " may see " + to))
        .sorted()
        .toList();
  }

  private static Place place(String module, HoldfastModules modules) {
    return Place.of(modules.directory(module));
  }

  /**
   * Compares the descriptors with the table; returns the differences as sentences, empty if there
   * are none.
   */
  List<String> forbiddenRequires(HoldfastModules modules) {
    return modules.names().stream()
        .map(modules::descriptor)
        .flatMap(this::forbiddenRequires)
        .sorted()
        .toList();
  }

  private Stream<String> forbiddenRequires(ModuleDescriptor module) {
    return module.requires().stream()
        .map(ModuleDescriptor.Requires::name)
        .filter(name -> !name.equals("java.base") && !allowed(sees, module.name()).contains(name))
        .map(name -> module.name() + " requires " + name);
  }

  /**
   * Compares the use of other modules by classes with the table: finds what a class path would
   * hide.
   */
  List<String> forbiddenReferences(HoldfastModules modules) {
    return modules.classes().stream()
        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .filter(dependency -> isForbidden(dependency, modules))
        .map(Dependency::getDescription)
        .sorted()
        .toList();
  }

  private boolean isForbidden(Dependency dependency, HoldfastModules modules) {
    String from = modules.moduleOf(dependency.getOriginClass()).orElseThrow();
    return modules
        .moduleOf(dependency.getTargetClass())
        .filter(to -> !to.equals(from) && !allowed(sees, from).contains(to))
        .isPresent();
  }

  /**
   * Compares exports, also qualified ones, with the table, and refuses what is open, but for
   * records to the modules that map rows and JSON.
   */
  List<String> forbiddenExports(HoldfastModules modules) {
    return modules.names().stream()
        .map(modules::descriptor)
        .flatMap(
            module ->
                Stream.concat(
                    exportedAgainst(module),
                    module.opens().stream()
                        .filter(open -> !OPENED.contains(open.source()))
                        .map(open -> module.name() + " opens " + open.source())))
        .sorted()
        .toList();
  }

  private Stream<String> exportedAgainst(ModuleDescriptor module) {
    return module.exports().stream()
        .map(Exports::source)
        .filter(name -> !allowed(exports, module.name()).contains(name))
        .map(name -> module.name() + " exports " + name);
  }

  private static Set<String> allowed(Map<String, Set<String>> table, String module) {
    return table.getOrDefault(module, Set.of());
  }
}
