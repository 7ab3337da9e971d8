/*
 * The verbs for operators. Open, like applications in general: the command line library sets
 * fields.
 */
open module dev.holdfast.operate {
  requires dev.holdfast;
  requires dev.holdfast.archive.s3;
  requires dev.holdfast.archiver;
  requires dev.holdfast.clone;
  requires dev.holdfast.cluster;
  requires dev.holdfast.console;
  requires dev.holdfast.launcher;
  requires dev.holdfast.operator;
  requires dev.holdfast.verify;
  requires info.picocli;
  requires tools.jackson.databind;
  requires static org.jspecify;
}
