/** The one module an application requires: engine, journal and storage backends, wired. */
@SuppressWarnings("module") // a module that is built later is a friend of this one
module dev.holdfast {
  requires transitive dev.holdfast.api;
  requires dev.holdfast.spi;
  requires dev.holdfast.runtime;
  requires dev.holdfast.alarms;
  requires dev.holdfast.journal;
  requires dev.holdfast.pitr;
  requires dev.holdfast.backup;
  requires dev.holdfast.backend.sqlite;
  requires static transitive org.jspecify;

  exports dev.holdfast.embedded;
  exports dev.holdfast.embedded.parts to
      dev.holdfast.cluster;

  uses dev.holdfast.journal.ArchiveProvider;
  uses dev.holdfast.spi.inspect.OperatorProvider;
}
