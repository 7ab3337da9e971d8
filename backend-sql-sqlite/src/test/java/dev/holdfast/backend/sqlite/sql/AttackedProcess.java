package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.CanaryLibrary;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A process that is attacked and reports the result of each attack. It reports the next attack
 * before it begins, so that its end shows which attack killed it. Its working directory must stay
 * empty.
 */
final class AttackedProcess {

  static final String AT = "at ";
  static final String EFFECT = "effect ";
  static final String DONE = "done";

  private AttackedProcess() {}

  /**
   * Runs attacks.
   *
   * @param args "guarded" or "bare"; a file with the attacks; a directory for databases; the first
   *     attack to run
   */
  public static void main(String[] args) throws Exception {
    boolean isGuarded = args[0].equals("guarded");
    List<Attack> attacks;
    try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(args[1])))) {
      attacks = Attack.read(in);
    }
    Path directory = Files.createTempDirectory(Path.of(args[2]), "attacked");
    CanaryLibrary library = new CanaryLibrary(!isGuarded);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (Victim victim =
        isGuarded ? new GuardedVictim(directory, library) : new BareVictim(directory, library)) {
      for (int index = Integer.parseInt(args[3]); index < attacks.size(); index++) {
        out.println(AT + index);
        for (String effect : victim.attack(attacks.get(index))) {
          out.println(EFFECT + index + " " + effect.replace('\n', ' '));
        }
      }
    }
    out.println(DONE);
  }

  /** The target of attacks. */
  interface Victim extends AutoCloseable {

    /** {@return the result of an attack, which has been undone} */
    List<String> attack(Attack attack) throws Exception;

    @Override
    void close() throws IOException;
  }
}
