// Written by generate.py.

import Heraclitus

protocol HundredState: WorkflowState {}
final class HundredState0: HundredState, EmptyState {}
final class HundredState1: HundredState, EmptyState {}
final class HundredState2: HundredState, EmptyState {}
final class HundredState3: HundredState, EmptyState {}
final class HundredState4: HundredState, EmptyState {}
final class HundredState5: HundredState, EmptyState {}
final class HundredState6: HundredState, EmptyState {}
final class HundredState7: HundredState, EmptyState {}
final class HundredState8: HundredState, EmptyState {}
final class HundredState9: HundredState, EmptyState {}
final class HundredState10: HundredState, EmptyState {}
final class HundredState11: HundredState, EmptyState {}
final class HundredState12: HundredState, EmptyState {}
final class HundredState13: HundredState, EmptyState {}
final class HundredState14: HundredState, EmptyState {}
final class HundredState15: HundredState, EmptyState {}
final class HundredState16: HundredState, EmptyState {}
final class HundredState17: HundredState, EmptyState {}
final class HundredState18: HundredState, EmptyState {}
final class HundredState19: HundredState, EmptyState {}
final class HundredState20: HundredState, EmptyState {}
final class HundredState21: HundredState, EmptyState {}
final class HundredState22: HundredState, EmptyState {}
final class HundredState23: HundredState, EmptyState {}
final class HundredState24: HundredState, EmptyState {}
final class HundredState25: HundredState, EmptyState {}
final class HundredState26: HundredState, EmptyState {}
final class HundredState27: HundredState, EmptyState {}
final class HundredState28: HundredState, EmptyState {}
final class HundredState29: HundredState, EmptyState {}
final class HundredState30: HundredState, EmptyState {}
final class HundredState31: HundredState, EmptyState {}
final class HundredState32: HundredState, EmptyState {}
final class HundredState33: HundredState, EmptyState {}
final class HundredState34: HundredState, EmptyState {}
final class HundredState35: HundredState, EmptyState {}
final class HundredState36: HundredState, EmptyState {}
final class HundredState37: HundredState, EmptyState {}
final class HundredState38: HundredState, EmptyState {}
final class HundredState39: HundredState, EmptyState {}
final class HundredState40: HundredState, EmptyState {}
final class HundredState41: HundredState, EmptyState {}
final class HundredState42: HundredState, EmptyState {}
final class HundredState43: HundredState, EmptyState {}
final class HundredState44: HundredState, EmptyState {}
final class HundredState45: HundredState, EmptyState {}
final class HundredState46: HundredState, EmptyState {}
final class HundredState47: HundredState, EmptyState {}
final class HundredState48: HundredState, EmptyState {}
final class HundredState49: HundredState, EmptyState {}
final class HundredState50: HundredState, EmptyState {}
final class HundredState51: HundredState, EmptyState {}
final class HundredState52: HundredState, EmptyState {}
final class HundredState53: HundredState, EmptyState {}
final class HundredState54: HundredState, EmptyState {}
final class HundredState55: HundredState, EmptyState {}
final class HundredState56: HundredState, EmptyState {}
final class HundredState57: HundredState, EmptyState {}
final class HundredState58: HundredState, EmptyState {}
final class HundredState59: HundredState, EmptyState {}
final class HundredState60: HundredState, EmptyState {}
final class HundredState61: HundredState, EmptyState {}
final class HundredState62: HundredState, EmptyState {}
final class HundredState63: HundredState, EmptyState {}
final class HundredState64: HundredState, EmptyState {}
final class HundredState65: HundredState, EmptyState {}
final class HundredState66: HundredState, EmptyState {}
final class HundredState67: HundredState, EmptyState {}
final class HundredState68: HundredState, EmptyState {}
final class HundredState69: HundredState, EmptyState {}
final class HundredState70: HundredState, EmptyState {}
final class HundredState71: HundredState, EmptyState {}
final class HundredState72: HundredState, EmptyState {}
final class HundredState73: HundredState, EmptyState {}
final class HundredState74: HundredState, EmptyState {}
final class HundredState75: HundredState, EmptyState {}
final class HundredState76: HundredState, EmptyState {}
final class HundredState77: HundredState, EmptyState {}
final class HundredState78: HundredState, EmptyState {}
final class HundredState79: HundredState, EmptyState {}
final class HundredState80: HundredState, EmptyState {}
final class HundredState81: HundredState, EmptyState {}
final class HundredState82: HundredState, EmptyState {}
final class HundredState83: HundredState, EmptyState {}
final class HundredState84: HundredState, EmptyState {}
final class HundredState85: HundredState, EmptyState {}
final class HundredState86: HundredState, EmptyState {}
final class HundredState87: HundredState, EmptyState {}
final class HundredState88: HundredState, EmptyState {}
final class HundredState89: HundredState, EmptyState {}
final class HundredState90: HundredState, EmptyState {}
final class HundredState91: HundredState, EmptyState {}
final class HundredState92: HundredState, EmptyState {}
final class HundredState93: HundredState, EmptyState {}
final class HundredState94: HundredState, EmptyState {}
final class HundredState95: HundredState, EmptyState {}
final class HundredState96: HundredState, EmptyState {}
final class HundredState97: HundredState, EmptyState {}
final class HundredState98: HundredState, EmptyState {}
final class HundredState99: HundredState, EmptyState {}

struct Hundred: Workflow {
    static var initial: any HundredState { HundredState0() }

    let leave0 = Event(
        from: HundredState0.self,
        to: HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self
    )
    let leave1 = Event(
        from: HundredState1.self,
        to: HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self
    )
    let leave2 = Event(
        from: HundredState2.self,
        to: HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self
    )
    let leave3 = Event(
        from: HundredState3.self,
        to: HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self
    )
    let leave4 = Event(
        from: HundredState4.self,
        to: HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self
    )
    let leave5 = Event(
        from: HundredState5.self,
        to: HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self
    )
    let leave6 = Event(
        from: HundredState6.self,
        to: HundredState2.self,
        HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self
    )
    let leave7 = Event(
        from: HundredState7.self,
        to: HundredState3.self,
        HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self
    )
    let leave8 = Event(
        from: HundredState8.self,
        to: HundredState4.self,
        HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self
    )
    let leave9 = Event(
        from: HundredState9.self,
        to: HundredState5.self,
        HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self
    )
    let leave10 = Event(
        from: HundredState10.self,
        to: HundredState6.self,
        HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self
    )
    let leave11 = Event(
        from: HundredState11.self,
        to: HundredState7.self,
        HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self
    )
    let leave12 = Event(
        from: HundredState12.self,
        to: HundredState8.self,
        HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self
    )
    let leave13 = Event(
        from: HundredState13.self,
        to: HundredState9.self,
        HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self
    )
    let leave14 = Event(
        from: HundredState14.self,
        to: HundredState10.self,
        HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self
    )
    let leave15 = Event(
        from: HundredState15.self,
        to: HundredState11.self,
        HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self
    )
    let leave16 = Event(
        from: HundredState16.self,
        to: HundredState12.self,
        HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self
    )
    let leave17 = Event(
        from: HundredState17.self,
        to: HundredState13.self,
        HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self
    )
    let leave18 = Event(
        from: HundredState18.self,
        to: HundredState14.self,
        HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self
    )
    let leave19 = Event(
        from: HundredState19.self,
        to: HundredState15.self,
        HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self
    )
    let leave20 = Event(
        from: HundredState20.self,
        to: HundredState16.self,
        HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self
    )
    let leave21 = Event(
        from: HundredState21.self,
        to: HundredState17.self,
        HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self
    )
    let leave22 = Event(
        from: HundredState22.self,
        to: HundredState18.self,
        HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self
    )
    let leave23 = Event(
        from: HundredState23.self,
        to: HundredState19.self,
        HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self
    )
    let leave24 = Event(
        from: HundredState24.self,
        to: HundredState20.self,
        HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self
    )
    let leave25 = Event(
        from: HundredState25.self,
        to: HundredState21.self,
        HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self
    )
    let leave26 = Event(
        from: HundredState26.self,
        to: HundredState22.self,
        HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self
    )
    let leave27 = Event(
        from: HundredState27.self,
        to: HundredState23.self,
        HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self
    )
    let leave28 = Event(
        from: HundredState28.self,
        to: HundredState24.self,
        HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self
    )
    let leave29 = Event(
        from: HundredState29.self,
        to: HundredState25.self,
        HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self
    )
    let leave30 = Event(
        from: HundredState30.self,
        to: HundredState26.self,
        HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self
    )
    let leave31 = Event(
        from: HundredState31.self,
        to: HundredState27.self,
        HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self
    )
    let leave32 = Event(
        from: HundredState32.self,
        to: HundredState28.self,
        HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self
    )
    let leave33 = Event(
        from: HundredState33.self,
        to: HundredState29.self,
        HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self
    )
    let leave34 = Event(
        from: HundredState34.self,
        to: HundredState30.self,
        HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self
    )
    let leave35 = Event(
        from: HundredState35.self,
        to: HundredState31.self,
        HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self
    )
    let leave36 = Event(
        from: HundredState36.self,
        to: HundredState32.self,
        HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self
    )
    let leave37 = Event(
        from: HundredState37.self,
        to: HundredState33.self,
        HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self
    )
    let leave38 = Event(
        from: HundredState38.self,
        to: HundredState34.self,
        HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self
    )
    let leave39 = Event(
        from: HundredState39.self,
        to: HundredState35.self,
        HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self
    )
    let leave40 = Event(
        from: HundredState40.self,
        to: HundredState36.self,
        HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self
    )
    let leave41 = Event(
        from: HundredState41.self,
        to: HundredState37.self,
        HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self
    )
    let leave42 = Event(
        from: HundredState42.self,
        to: HundredState38.self,
        HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self
    )
    let leave43 = Event(
        from: HundredState43.self,
        to: HundredState39.self,
        HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self
    )
    let leave44 = Event(
        from: HundredState44.self,
        to: HundredState40.self,
        HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self
    )
    let leave45 = Event(
        from: HundredState45.self,
        to: HundredState41.self,
        HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self
    )
    let leave46 = Event(
        from: HundredState46.self,
        to: HundredState42.self,
        HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self
    )
    let leave47 = Event(
        from: HundredState47.self,
        to: HundredState43.self,
        HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self
    )
    let leave48 = Event(
        from: HundredState48.self,
        to: HundredState44.self,
        HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self
    )
    let leave49 = Event(
        from: HundredState49.self,
        to: HundredState45.self,
        HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self
    )
    let leave50 = Event(
        from: HundredState50.self,
        to: HundredState46.self,
        HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self
    )
    let leave51 = Event(
        from: HundredState51.self,
        to: HundredState47.self,
        HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self
    )
    let leave52 = Event(
        from: HundredState52.self,
        to: HundredState48.self,
        HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self
    )
    let leave53 = Event(
        from: HundredState53.self,
        to: HundredState49.self,
        HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self
    )
    let leave54 = Event(
        from: HundredState54.self,
        to: HundredState50.self,
        HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self
    )
    let leave55 = Event(
        from: HundredState55.self,
        to: HundredState51.self,
        HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self
    )
    let leave56 = Event(
        from: HundredState56.self,
        to: HundredState52.self,
        HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self
    )
    let leave57 = Event(
        from: HundredState57.self,
        to: HundredState53.self,
        HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self
    )
    let leave58 = Event(
        from: HundredState58.self,
        to: HundredState54.self,
        HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self
    )
    let leave59 = Event(
        from: HundredState59.self,
        to: HundredState55.self,
        HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self
    )
    let leave60 = Event(
        from: HundredState60.self,
        to: HundredState56.self,
        HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self
    )
    let leave61 = Event(
        from: HundredState61.self,
        to: HundredState57.self,
        HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self
    )
    let leave62 = Event(
        from: HundredState62.self,
        to: HundredState58.self,
        HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self
    )
    let leave63 = Event(
        from: HundredState63.self,
        to: HundredState59.self,
        HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self
    )
    let leave64 = Event(
        from: HundredState64.self,
        to: HundredState60.self,
        HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self
    )
    let leave65 = Event(
        from: HundredState65.self,
        to: HundredState61.self,
        HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self
    )
    let leave66 = Event(
        from: HundredState66.self,
        to: HundredState62.self,
        HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self
    )
    let leave67 = Event(
        from: HundredState67.self,
        to: HundredState63.self,
        HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self
    )
    let leave68 = Event(
        from: HundredState68.self,
        to: HundredState64.self,
        HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self
    )
    let leave69 = Event(
        from: HundredState69.self,
        to: HundredState65.self,
        HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self
    )
    let leave70 = Event(
        from: HundredState70.self,
        to: HundredState66.self,
        HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self
    )
    let leave71 = Event(
        from: HundredState71.self,
        to: HundredState67.self,
        HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self
    )
    let leave72 = Event(
        from: HundredState72.self,
        to: HundredState68.self,
        HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self
    )
    let leave73 = Event(
        from: HundredState73.self,
        to: HundredState69.self,
        HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self
    )
    let leave74 = Event(
        from: HundredState74.self,
        to: HundredState70.self,
        HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self
    )
    let leave75 = Event(
        from: HundredState75.self,
        to: HundredState71.self,
        HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self
    )
    let leave76 = Event(
        from: HundredState76.self,
        to: HundredState72.self,
        HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self
    )
    let leave77 = Event(
        from: HundredState77.self,
        to: HundredState73.self,
        HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self
    )
    let leave78 = Event(
        from: HundredState78.self,
        to: HundredState74.self,
        HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self
    )
    let leave79 = Event(
        from: HundredState79.self,
        to: HundredState75.self,
        HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self
    )
    let leave80 = Event(
        from: HundredState80.self,
        to: HundredState76.self,
        HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self
    )
    let leave81 = Event(
        from: HundredState81.self,
        to: HundredState77.self,
        HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self
    )
    let leave82 = Event(
        from: HundredState82.self,
        to: HundredState78.self,
        HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self
    )
    let leave83 = Event(
        from: HundredState83.self,
        to: HundredState79.self,
        HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self
    )
    let leave84 = Event(
        from: HundredState84.self,
        to: HundredState80.self,
        HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self
    )
    let leave85 = Event(
        from: HundredState85.self,
        to: HundredState81.self,
        HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self
    )
    let leave86 = Event(
        from: HundredState86.self,
        to: HundredState82.self,
        HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self
    )
    let leave87 = Event(
        from: HundredState87.self,
        to: HundredState83.self,
        HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self
    )
    let leave88 = Event(
        from: HundredState88.self,
        to: HundredState84.self,
        HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self
    )
    let leave89 = Event(
        from: HundredState89.self,
        to: HundredState85.self,
        HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self
    )
    let leave90 = Event(
        from: HundredState90.self,
        to: HundredState86.self,
        HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self
    )
    let leave91 = Event(
        from: HundredState91.self,
        to: HundredState87.self,
        HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self
    )
    let leave92 = Event(
        from: HundredState92.self,
        to: HundredState88.self,
        HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self
    )
    let leave93 = Event(
        from: HundredState93.self,
        to: HundredState89.self,
        HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self
    )
    let leave94 = Event(
        from: HundredState94.self,
        to: HundredState90.self,
        HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self
    )
    let leave95 = Event(
        from: HundredState95.self,
        to: HundredState91.self,
        HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self
    )
    let leave96 = Event(
        from: HundredState96.self,
        to: HundredState92.self,
        HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self
    )
    let leave97 = Event(
        from: HundredState97.self,
        to: HundredState93.self,
        HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self
    )
    let leave98 = Event(
        from: HundredState98.self,
        to: HundredState94.self,
        HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self
    )
    let leave99 = Event(
        from: HundredState99.self,
        to: HundredState95.self,
        HundredState96.self,
        HundredState97.self,
        HundredState98.self,
        HundredState99.self,
        HundredState0.self,
        HundredState1.self,
        HundredState2.self,
        HundredState3.self,
        HundredState4.self
    )
}

extension StateMachine<Hundred> {
    /// Makes five transitions and ends where it began.
    func goAround() throws(InvalidTransition) {
        try fire.leave0(HundredState1())
        try fire.leave1(HundredState2())
        try fire.leave2(HundredState3())
        try fire.leave3(HundredState4())
        try fire.leave4(HundredState0())
    }
}
