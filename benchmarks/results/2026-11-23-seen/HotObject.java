import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import java.util.*;
import java.util.concurrent.atomic.*;

public class HotObject {
  public interface M {
    long read();
  }

  static final class O implements M {
    long v = 5;

    public long read() {
      return v;
    }
  }

  public static void main(String[] a) throws Exception {
    boolean virtual = a[0].equals("v");
    int rounds = Integer.parseInt(a[1]);
    long millis = Long.parseLong(a[2]);
    var dir = java.nio.file.Files.createTempDirectory("hot");
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, (c) -> new O()))) {
      M m = r.namespace("m", M.class).getByName("x");
      m.read();
      double[] rates = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        AtomicBoolean stop = new AtomicBoolean();
        LongAdder n = new LongAdder();
        List<Thread> ts = new ArrayList<>();
        long t0 = System.nanoTime();
        for (int k = 0; k < 64; k++) {
          Runnable w =
              () -> {
                long c = 0;
                while (!stop.get()) {
                  m.read();
                  c++;
                }
                n.add(c);
              };
          ts.add(virtual ? Thread.ofVirtual().start(w) : Thread.ofPlatform().start(w));
        }
        Thread.sleep(millis);
        stop.set(true);
        for (Thread t : ts) t.join();
        rates[i] = n.sum() * 1e3 / (System.nanoTime() - t0);
      }
      double[] s = Arrays.copyOfRange(rates, rounds / 5, rounds);
      Arrays.sort(s);
      StringBuilder b = new StringBuilder();
      for (double d : s) b.append(String.format("%.2f ", d));
      System.out.printf(
          "%s median %.2f mean %.2f: %s%n",
          a[0], s[s.length / 2], Arrays.stream(s).average().getAsDouble(), b);
    }
    System.exit(0);
  }
}
