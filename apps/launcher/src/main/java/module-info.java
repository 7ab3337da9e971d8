/** The shared code of the launcher's verbs: command line, errors and child processes. */
module dev.holdfast.launcher {
  requires dev.holdfast.api;
  requires transitive info.picocli;
  requires java.logging;
  requires static transitive org.jspecify;

  exports dev.holdfast.launcher;
  exports dev.holdfast.launcher.process;
}
