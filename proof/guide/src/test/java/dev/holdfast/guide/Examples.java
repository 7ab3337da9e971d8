package dev.holdfast.guide;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles examples of documents in this process, against everything that this module has. */
final class Examples {

  private Examples() {}

  /**
   * {@return the errors of a source, each with its line}
   *
   * @param source a file of types that are not public
   * @param classes the directory for their classes
   */
  static List<String> errors(String source, Path classes) {
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///Examples.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    ToolProvider.getSystemJavaCompiler()
        .getTask(
            null,
            null,
            found,
            List.of("-proc:none", "-parameters", "-cp", classPath(), "-d", classes.toString()),
            null,
            List.of(file))
        .call();
    return found.getDiagnostics().stream()
        .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
        .map(each -> each.getMessage(Locale.ROOT) + " in\n" + lineOf(each, source))
        .toList();
  }

  /** {@return what programs of this module are run with} */
  static String classPath() {
    return Stream.of("java.class.path", "jdk.module.path", "surefire.test.class.path")
        .map(System::getProperty)
        .filter(path -> path != null && !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String lineOf(Diagnostic<?> error, String source) {
    return source.lines().skip(Math.max(0, error.getLineNumber() - 1)).findFirst().orElse("");
  }
}
