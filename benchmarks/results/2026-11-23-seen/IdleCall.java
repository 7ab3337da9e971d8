import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;

public class IdleCall {
  public interface M {
    long read();

    String echo(String s, long n);
  }

  static final class O implements M {
    long v = 5;

    public long read() {
      return v;
    }

    public String echo(String s, long n) {
      return s;
    }
  }

  public static void main(String[] a) throws Exception {
    var dir = java.nio.file.Files.createTempDirectory("idle");
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, c -> new O()))) {
      M m = r.namespace("m", M.class).getByName("x");
      long s = 0;
      for (int i = 0; i < 12; i++) {
        long t = System.nanoTime();
        for (int k = 0; k < 10_000_000; k++) s += m.read();
        double ns = (System.nanoTime() - t) / 1e7;
        t = System.nanoTime();
        for (int k = 0; k < 5_000_000; k++) s += m.echo("abc", k).length();
        System.out.printf("%.1f/%.1f ", ns, (System.nanoTime() - t) / 5e6);
      }
      System.out.println(s == 1 ? "x" : "");
    }
    System.exit(0);
  }
}
