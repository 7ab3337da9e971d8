package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A Maven project outside of the reactor. Its Holdfast comes from a separate local repository with
 * the jars and poms of this build, as {@code install} creates it; everything else comes, offline
 * unless asked otherwise, from the repository that this build uses.
 */
final class OutsideProject {

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>outside</groupId>
        <artifactId>outside</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>25</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencies>
      %s
        </dependencies>
        <build>
          <plugins>
      %s
          </plugins>
        </build>
      </project>
      """;

  /** Each process lives for seconds: the slow compiler would not pay back. */
  private static final String FAST_COMPILER = "-XX:TieredStopAtLevel=1";

  private static final String SERIAL_COLLECTOR = "-XX:+UseSerialGC";

  /** The classes of Maven and its plugins are not checked again in each process. */
  private static final String WITHOUT_VERIFIER =
      " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

  private final Path directory;
  private final Path repository;

  /** An empty directory. */
  OutsideProject(Path directory) throws IOException {
    this.directory = directory.resolve("project");
    this.repository = directory.resolve("repository");
    Files.createDirectories(this.directory);
    installBuiltModules();
  }

  OutsideProject(Path directory, String dependency) throws IOException {
    this(directory);
    file(
        "pom.xml",
        POM.formatted(
            dependency, plugin("maven-compiler-plugin") + plugin("maven-dependency-plugin")));
  }

  /** Writes a file. The build has one version of the plugin for resources; a pom may name none. */
  void file(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        name.equals("pom.xml")
            ? text.replace("<plugins>", "<plugins>" + plugin("maven-resources-plugin"))
            : text);
  }

  void source(String name, String text) throws IOException {
    file("src/main/java/" + name, text);
  }

  /** Resolves the dependencies and compiles. */
  void compile() throws Exception {
    EndedProcess run =
        maven(
            "-q", "-Dmdep.outputFile=" + classPathFile(), "compile", "dependency:build-classpath");
    assertThat(run.exitCode()).as(run.output() + run.errors()).isZero();
  }

  EndedProcess maven(String... arguments) throws Exception {
    return maven(List.of("--offline"), arguments);
  }

  /** With libraries that this build does not have. */
  EndedProcess mavenOnline(String... arguments) throws Exception {
    return maven(List.of(), arguments);
  }

  private EndedProcess maven(List<String> mode, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(property("holdfast.maven.home") + "/bin/mvn"));
    command.addAll(mode);
    command.addAll(
        List.of(
            "--batch-mode",
            "-Dmaven.repo.local=" + repository,
            "-Dmaven.repo.local.tail=" + property("holdfast.maven.repository"),
            "-Dmaven.repo.local.tail.ignoreAvailability=true",
            "-DargLine=" + FAST_COMPILER + " " + SERIAL_COLLECTOR)); // where the pom has none
    command.addAll(List.of(arguments));
    return run(command);
  }

  EndedProcess java(String option, String main) throws Exception {
    return run(
        List.of(
            tool("java"),
            FAST_COMPILER,
            SERIAL_COLLECTOR,
            option,
            "-cp",
            pathBehind(directory.resolve("target/classes")),
            main));
  }

  /** Compiles the sources again, as a module, and runs it. */
  EndedProcess javaModule(String option, String main) throws Exception {
    return run(
        List.of(
            tool("java"),
            FAST_COMPILER,
            SERIAL_COLLECTOR,
            option,
            "-p",
            pathBehind(compileModule()),
            "-m",
            main));
  }

  /**
   * Compiles the sources again, as a module, links it with others to an image, and runs it there.
   *
   * @param modules what the image has besides
   * @param classPath a part of the name of the one dependency that is no module
   */
  EndedProcess javaImage(String modules, String classPath, String main) throws Exception {
    Path image = directory.resolve("target/image");
    String name = main.substring(0, main.indexOf('/'));
    EndedProcess linked =
        run(
            List.of(
                tool("jlink"),
                "-J" + FAST_COMPILER,
                "-J" + SERIAL_COLLECTOR,
                "-p",
                pathBehind(compileModule()),
                "--add-modules",
                name + "," + modules,
                "--output",
                image.toString()));
    assertThat(linked.exitCode()).as(linked.toString()).isZero();
    String other =
        dependencies().filter(jar -> jar.contains(classPath)).collect(Collectors.joining(":"));
    return run(List.of(image.resolve("bin/java").toString(), "-cp", other, "-m", main));
  }

  /** Merges the classes and all dependencies into one jar, as plugins do, and runs that. */
  EndedProcess javaMerged(String option, String main) throws Exception {
    Path merged = directory.resolve("target/merged.jar");
    Map<String, byte[]> entries = new LinkedHashMap<>();
    for (String jar : dependencies().toList()) {
      try (ZipFile from = new ZipFile(jar)) {
        for (ZipEntry each : Collections.list(from.entries())) {
          merge(entries, each.getName(), from.getInputStream(each).readAllBytes());
        }
      }
    }
    Path classes = directory.resolve("target/classes");
    try (var files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        merge(entries, classes.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    try (ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(merged))) {
      to.setLevel(Deflater.BEST_SPEED);
      for (Map.Entry<String, byte[]> each : entries.entrySet()) {
        to.putNextEntry(new ZipEntry(each.getKey()));
        to.write(each.getValue());
      }
    }
    return run(List.of(tool("java"), option, "-cp", merged.toString(), main));
  }

  private static void merge(Map<String, byte[]> entries, String name, byte[] content) {
    if (name.endsWith("/") || name.endsWith("module-info.class") || name.endsWith("MANIFEST.MF")) {
      return;
    }
    String text = new String(content, StandardCharsets.UTF_8);
    entries.merge(
        name,
        content,
        (first, _) ->
            name.startsWith("META-INF/services/")
                ? (new String(first, StandardCharsets.UTF_8) + "\n" + text)
                    .getBytes(StandardCharsets.UTF_8)
                : first);
  }

  private Stream<String> dependencies() throws IOException {
    return Stream.of(Files.readString(classPathFile()).strip().split(File.pathSeparator, -1));
  }

  private Path compileModule() throws Exception {
    Path classes = directory.resolve("target/module");
    List<String> command =
        new ArrayList<>(List.of(tool("javac"), "-J" + FAST_COMPILER, "-d", classes.toString()));
    command.addAll(List.of("-p", Files.readString(classPathFile()).strip()));
    try (var sources = Files.walk(directory.resolve("src/main/java"))) {
      sources
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(f -> command.add(f.toString()));
    }
    EndedProcess compiled = run(command);
    assertThat(compiled).isEqualTo(new EndedProcess(0, "", ""));
    return classes;
  }

  /** Deletes all sources. */
  void clean() throws IOException {
    try (var files = Files.walk(directory.resolve("src"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private String pathBehind(Path classes) throws IOException {
    return classes + File.pathSeparator + Files.readString(classPathFile()).strip();
  }

  private Path classPathFile() {
    return directory.resolve("class-path");
  }

  /**
   * Does what {@code install} does: copies each jar and its pom to its coordinates, and the parent
   * pom.
   */
  private void installBuiltModules() throws IOException {
    Path parent = Readme.ROOT.resolve("pom.xml");
    install(parent, "pom", parent);
    for (String entry : property("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      if (path.startsWith(Readme.ROOT) && !path.startsWith(Readme.ROOT.resolve("proof/guide"))) {
        assumeTrue(entry.endsWith(".jar"), "needs jars: run with verify or package");
        install(path.resolveSibling("../pom.xml").normalize(), "jar", path);
      }
    }
  }

  private void install(Path pom, String type, Path file) throws IOException {
    String text = Files.readString(pom);
    String version = element(Files.readString(Readme.ROOT.resolve("pom.xml")), "version");
    String artifact = element(text.replaceAll("(?s)<parent>.*?</parent>", ""), "artifactId");
    Path target =
        Files.createDirectories(
            repository.resolve("dev/holdfast").resolve(artifact).resolve(version));
    Files.copy(pom, target.resolve(artifact + "-" + version + ".pom"));
    if (type.equals("jar")) {
      Files.copy(file, target.resolve(artifact + "-" + version + ".jar"));
    }
  }

  /** The version that this build uses, which is in its repository. */
  private static String plugin(String artifact) throws IOException {
    String version =
        find(
            Files.readString(Readme.ROOT.resolve("pom.xml")),
            "<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>");
    return "<plugin><artifactId>%s</artifactId><version>%s</version></plugin>"
        .formatted(artifact, version);
  }

  private static String element(String xml, String name) {
    return find(xml, "<" + name + ">([^<]+)</" + name + ">");
  }

  private static String find(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  private static String tool(String name) {
    return Path.of(property("java.home"), "bin", name).toString();
  }

  private static String property(String name) {
    String value = System.getProperty(name);
    assumeTrue(value != null, "needs the property " + name + ", which the build sets");
    return String.valueOf(value);
  }

  private EndedProcess run(List<String> command) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    ProcessBuilder builder =
        new ProcessBuilder(new ArrayList<>(command))
            .directory(directory.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().put("JAVA_HOME", property("java.home"));
    builder
        .environment()
        .put("MAVEN_OPTS", FAST_COMPILER + " " + SERIAL_COLLECTOR + WITHOUT_VERIFIER);
    builder.environment().remove("MAVEN_ARGS");
    int exitCode = builder.start().waitFor();
    return new EndedProcess(exitCode, Files.readString(output), Files.readString(errors));
  }
}
