use super::*;
use futures_util::FutureExt;
use proptest::prelude::*;
use std::future::Future;
use std::pin::Pin;

type Entering = Pin<Box<dyn Future<Output = Result<Permit, Paused>> + Send>>;
const PATIENCE: Duration = Duration::from_secs(60);

fn enter(gate: &Arc<Gate>, provider: &'static str, attempt: u8) -> Entering {
    let (gate, place) = (Arc::clone(gate), gate.take_place(attempt));
    let mut entering: Entering = Box::pin(async move { gate.enter(place, provider, PATIENCE).await });
    assert!(entering.as_mut().now_or_never().is_none(), "it queues");
    entering
}

fn admitted(gate: &Arc<Gate>, provider: &'static str) -> Permit {
    let (gate, place) = (Arc::clone(gate), gate.take_place(1));
    let entered = async move { gate.enter(place, provider, PATIENCE).await }.now_or_never();
    entered.expect("there is room").expect("there is no pause")
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_first_come_first_served_and_a_second_attempt_goes_before_it_l2_d8() {
    let gate = Arc::new(Gate::new(1));
    let inside = admitted(&gate, "a");
    let mut first = enter(&gate, "a", 1);
    let mut second = enter(&gate, "a", 1);
    let mut retry = enter(&gate, "a", 2);
    drop(inside);
    let retry = retry.as_mut().now_or_never().expect("the retry is next").unwrap();
    assert!(first.as_mut().now_or_never().is_none());
    drop(retry);
    let first = first.as_mut().now_or_never().expect("then the oldest").unwrap();
    assert!(second.as_mut().now_or_never().is_none());
    drop(first);
    assert!(second.as_mut().now_or_never().is_some());
    assert_eq!(gate.counts().2, 1);
}

#[tokio::test(start_paused = true)]
async fn a_place_that_is_dropped_in_the_queue_frees_nothing_and_blocks_nobody_l2() {
    let gate = Arc::new(Gate::new(1));
    let inside = admitted(&gate, "a");
    let dropped = enter(&gate, "a", 1);
    let mut kept = enter(&gate, "a", 1);
    drop(dropped);
    assert_eq!(gate.counts(), (1, 1, 1));
    assert!(kept.as_mut().now_or_never().is_none());
    drop(inside);
    assert!(kept.as_mut().now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn an_admitted_place_that_is_dropped_before_it_notices_is_given_on() {
    let gate = Arc::new(Gate::new(1));
    let inside = admitted(&gate, "a");
    let unaware = enter(&gate, "a", 1);
    let mut last = enter(&gate, "a", 1);
    drop(inside);
    drop(unaware);
    assert!(last.as_mut().now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_paused_provider_waits_others_do_not_and_the_impatient_are_turned_away() {
    let gate = Arc::new(Gate::new(1));
    let inside = admitted(&gate, "a");
    let mut queued = enter(&gate, "a", 1);
    gate.pause("a", Instant::now() + Duration::from_secs(30));
    drop(inside);
    assert!(queued.as_mut().now_or_never().is_none());
    drop(admitted(&gate, "b"));
    tokio::time::sleep(Duration::from_secs(31)).await;
    gate.end_pauses();
    drop(queued.as_mut().now_or_never().expect("the pause is over").unwrap());

    gate.pause("a", Instant::now() + Duration::from_secs(600));
    let place = gate.take_place(1);
    let refused = gate.enter(place, "a", PATIENCE).await.unwrap_err();
    assert_eq!(refused, Paused { left: Duration::from_secs(600) });
    assert_eq!(gate.counts(), (0, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_raised_limit_admits_at_once() {
    let gate = Arc::new(Gate::new(1));
    let _inside = admitted(&gate, "a");
    let mut waits = enter(&gate, "a", 1);
    gate.set_limit(2);
    assert!(waits.as_mut().now_or_never().is_some());
}

/// One thing that happens at a gate.
#[derive(Debug, Clone)]
enum Step {
    Enter { provider: &'static str, attempt: u8 },
    Leave(usize),
    Pause { provider: &'static str, seconds: u64 },
    Pass(u64),
    Limit(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let provider = prop_oneof![Just("a"), Just("b")];
    prop_oneof![
        4 => (provider.clone(), 1_u8..=2).prop_map(|(provider, attempt)| Step::Enter { provider, attempt }),
        3 => any::<usize>().prop_map(Step::Leave),
        1 => (provider, 1_u64..100).prop_map(|(provider, seconds)| Step::Pause { provider, seconds }),
        1 => (1_u64..100).prop_map(Step::Pass),
        1 => (1_usize..5).prop_map(Step::Limit),
    ]
}

/// Calls that wait, calls inside, and how many were turned away.
#[derive(Default)]
struct Callers {
    waiting: Vec<Entering>,
    inside: Vec<Permit>,
}

impl Callers {
    /// Lets everybody look whether the gate has answered.
    fn look(&mut self) {
        for mut entering in std::mem::take(&mut self.waiting) {
            match entering.as_mut().now_or_never() {
                None => self.waiting.push(entering),
                Some(Ok(permit)) => self.inside.push(permit),
                Some(Err(_)) => {}
            }
        }
    }

    /// One of them goes, wherever it stands.
    fn remove(&mut self, pick: usize) {
        let all = self.waiting.len() + self.inside.len();
        if let Some(pick) = pick.checked_rem(all) {
            if pick < self.waiting.len() {
                drop(self.waiting.remove(pick));
            } else {
                drop(self.inside.remove(pick - self.waiting.len()));
            }
        }
    }
}

proptest! {
    #[test]
    fn the_limit_holds_and_nobody_is_forgotten_whatever_happens_l2(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let gate = Arc::new(Gate::new(2));
            let (mut callers, mut limit) = (Callers::default(), 2);
            for step in steps {
                let before = gate.counts().0;
                match step {
                    Step::Enter { provider, attempt } => {
                        let (gate, place) = (Arc::clone(&gate), gate.take_place(attempt));
                        callers.waiting.push(Box::pin(async move {
                            gate.enter(place, provider, PATIENCE).await
                        }));
                    }
                    Step::Leave(pick) => callers.remove(pick),
                    Step::Pause { provider, seconds } => {
                        gate.pause(provider, Instant::now() + Duration::from_secs(seconds));
                    }
                    Step::Pass(seconds) => {
                        tokio::time::advance(Duration::from_secs(seconds)).await;
                        gate.end_pauses();
                    }
                    Step::Limit(new) => {
                        limit = new;
                        gate.set_limit(new);
                    }
                }
                callers.look();
                let (admitted, waiting, _) = gate.counts();
                prop_assert!(admitted <= limit.max(before), "{admitted} of {limit}");
                prop_assert_eq!((admitted, waiting), (callers.inside.len(), callers.waiting.len()));
            }
            tokio::time::advance(Duration::from_secs(1_000)).await;
            gate.end_pauses();
            for _ in 0..=60 {
                callers.look();
                callers.inside.clear();
            }
            prop_assert_eq!(callers.waiting.len(), 0);
            prop_assert_eq!((gate.counts().0, gate.counts().1), (0, 0));
            Ok(())
        })?;
    }
}
