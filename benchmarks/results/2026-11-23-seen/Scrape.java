import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.micrometer.HoldfastMetrics;
import io.micrometer.prometheusmetrics.*;
import java.util.*;
import java.util.concurrent.atomic.*;

/**
 * Alternates rounds without and with a Prometheus scrape each second: idle calls, and durable
 * commits of 8 threads.
 */
public class Scrape {
  public interface M {
    long read();

    long put();
  }

  static final class O implements M {
    final ObjectContext c;
    long v;

    O(ObjectContext c) {
      this.c = c;
    }

    public long read() {
      return v;
    }

    public long put() {
      c.storage().put("k", ++v);
      return v;
    }
  }

  public static void main(String[] a) throws Exception {
    int pairs = Integer.parseInt(a[0]);
    long millis = Long.parseLong(a[1]);
    var dir = java.nio.file.Files.createTempDirectory("scrape");
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, (c) -> new O(c)))) {
      M m = r.namespace("m", M.class).getByName("x");
      m.read();
      for (String what : new String[] {"read", "put"}) {
        double[][] rates = new double[2][pairs];
        for (int i = -2; i < pairs; i++)
          for (int side = 0; side < 2; side++) {
            HoldfastMetrics metrics = new HoldfastMetrics(r);
            Thread scraper = null;
            AtomicBoolean stop = new AtomicBoolean();
            PrometheusMeterRegistry reg = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            if (side == 1) {
              metrics.bindTo(reg);
              scraper =
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            while (!stop.get()) {
                              reg.scrape();
                              try {
                                Thread.sleep(1000);
                              } catch (InterruptedException e) {
                                return;
                              }
                            }
                          });
            }
            int n = what.equals("read") ? 1 : 8;
            LongAdder count = new LongAdder();
            List<Thread> ts = new ArrayList<>();
            long t0 = System.nanoTime();
            for (int k = 0; k < n; k++) {
              M own = n == 1 ? m : r.namespace("m", M.class).getByName("p" + k);
              ts.add(
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            long c = 0;
                            while (!stop.get()) {
                              if (n == 1) own.read();
                              else own.put();
                              c++;
                            }
                            count.add(c);
                          }));
            }
            Thread.sleep(millis);
            stop.set(true);
            for (Thread t : ts) t.join();
            if (i >= 0) rates[side][i] = count.sum() * 1e9 / (System.nanoTime() - t0);
            if (scraper != null) {
              scraper.interrupt();
              scraper.join();
            }
            metrics.close();
            reg.close();
          }
        double[] ratio = new double[pairs];
        for (int i = 0; i < pairs; i++) ratio[i] = rates[1][i] / rates[0][i];
        Arrays.sort(ratio);
        Arrays.sort(rates[0]);
        Arrays.sort(rates[1]);
        System.out.printf(
            "%s: without %.0f/s, scraped %.0f/s, ratio of pairs median %.3f (%.3f to %.3f)%n",
            what,
            rates[0][pairs / 2],
            rates[1][pairs / 2],
            ratio[pairs / 2],
            ratio[0],
            ratio[pairs - 1]);
      }
    }
    System.exit(0);
  }
}
